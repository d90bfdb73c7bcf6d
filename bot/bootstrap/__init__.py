"""The composition root: the one place, with the commands, that knows concrete classes and puts them together."""
