"""The commands of `fencepost`, one module each: `arguments(parser)` says what it takes, `run(args)` does it.

A command's module is imported only when it is called, and imports what is heavy only where it needs it.
"""
