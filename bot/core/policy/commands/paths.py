"""Paths that code may name: literal, normalised, in the workspace or /tmp, and a few files that every system shows."""

import posixpath

WORKSPACE = "/workspace"
SCRATCH = "/tmp"  # noqa: S108 (the sandbox's own)

_PUBLIC = frozenset(
    "/dev/null /etc/debian_version /etc/group /etc/hostname /etc/hosts /etc/issue /etc/os-release /etc/passwd"
    " /etc/protocols /etc/services /etc/shells /etc/timezone /usr/lib/os-release".split()
)
"""Files of the image that hold nothing that is not known anyway."""

_HIDDEN = ("/proc", "/sys", "/dev", "/root", "/run", "/boot", "/var/run")
"""Folders of which not even names are shown: they are views of the machine or of processes."""


def absolute(text: str) -> str | None:
    """A literal path as the kernel would take it, seen from the workspace; None for `..`, which links may bend."""
    if not text or ".." in text.split("/") or "\0" in text:
        return None
    path = posixpath.normpath(posixpath.join(WORKSPACE, text))
    return "/" + path.lstrip("/")


def readable(text: str) -> bool:
    """Whether the content of this path may be printed."""
    path = absolute(text)
    return path is not None and (path in _PUBLIC or _below(path, WORKSPACE) or _below(path, SCRATCH))


def nameable(text: str) -> bool:
    """Whether names and sizes at this path may be printed."""
    path = absolute(text)
    return path is not None and not any(_below(path, folder) for folder in _HIDDEN if path != "/dev/null")


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
