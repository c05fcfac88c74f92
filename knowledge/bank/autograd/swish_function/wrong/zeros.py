# caught by: documented-example
# why: Zero everywhere, as swish is only for very negative x.
def swish(x):
    return x * 0
