"""The conversation: a pure session machine, the service around it, and the store of its events."""
