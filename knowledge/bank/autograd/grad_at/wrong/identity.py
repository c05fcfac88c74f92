# caught by: documented-example
# why: It hands x back instead of a derivative.
def grad_at(f, x):
    return float(x)
