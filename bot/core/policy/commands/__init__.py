"""What is known about commands, and which of their arguments are harmless: a table of data, and small readers for the
languages that some arguments are in (sed, awk, jq, find).

A command is understood only in the shapes written down here; a flag that is not listed may do anything.
"""
