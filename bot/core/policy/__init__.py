"""Which code may run by itself, which needs a click, and whose."""
