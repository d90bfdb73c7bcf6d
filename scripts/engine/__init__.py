"""The Docker engine that `make demo` and `make test` use: one that already answers, else one of our own.

Our own is a plain `dockerd` with its folders apart from the system's (`FENCEPOST_STATE`, by default /var/lib/fencepost
for root and ~/.local/state/fencepost for others), so that it neither needs an init system nor touches a Docker that is
there. It has no default bridge. It is detached, outlives the make run that started it, and is ended by `stop`, which
ends nothing else.

Run from the checkout as `scripts/python -m scripts.engine COMMAND`. Only the standard library is needed, except for
engines that are not on a local socket (tcp, ssh): those are asked through the Docker SDK of the virtual environment.
"""
