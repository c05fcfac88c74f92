# caught by: hidden-polynomial
# why: It knows the derivative of the example by heart and never looks at f.
def grad_at(f, x):
    return 6 * x + 2
