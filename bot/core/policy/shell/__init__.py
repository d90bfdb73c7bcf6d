"""What a bash text does, as facts: tree-sitter's tree, trusted only where bash is known to read the text the same way.

The parser is not the truth, bash is, and tree-sitter accepts texts that bash reads otherwise, without an error node.
So a text is understood only if it passes gates, each of which closes a class that a fuzz against real bash found:

`grammar`      the tree: no error, a bounded size, and node kinds that are known
`gates`        every byte belongs to a leaf; what stands beside each other is set off by blanks, not by line ends
`words`        our own unquoting, and what is computed at run time
`expansions`   the few forms of `$` that read a variable or run commands that are walked too
`heredocs`     where bash ends a here-document
`conditions`   `[`, `[[` and test, which evaluate some of their operands
`walk`         statements, down to commands, redirects and assignments
`analysis`     all of it, as facts

Whatever is not understood is a fact of kind `unknown`, which no rule that names facts covers.
"""
