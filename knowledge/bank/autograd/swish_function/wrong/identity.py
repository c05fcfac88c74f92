# caught by: documented-example
# why: It returns x, which swish resembles only for large x.
def swish(x):
    return x * 1
