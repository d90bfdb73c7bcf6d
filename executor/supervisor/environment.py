"""The environment of user code: the same for everyone, and nothing of the supervisor's or the image's in it."""

from typing import Final

PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Directories that belong to root: what policy has read as `git` must not be a file of the requester's."""

FONT_CACHE: Final = "/opt/fencepost/matplotlib"
"""Made with the image; an image of one's own that has none is slower at its first plot, and that is all."""

_THREADS: Final = "2"
"""Libraries start a thread for each of the machine's processors, however few of them the sandbox may use."""

NUMERICS: Final = {
    "OMP_NUM_THREADS": _THREADS,
    "OPENBLAS_NUM_THREADS": _THREADS,
    "MKL_NUM_THREADS": _THREADS,
    "MPLBACKEND": "Agg",
}
"""Also the supervisor's own, before it imports what is to be preloaded."""


FIXED: Final = {
    "PATH": PATH,
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "USER": "sandbox",
    "LOGNAME": "sandbox",
    "SHELL": "/bin/bash",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "1",
    "PYTHONNOUSERSITE": "1",
    "PAGER": "cat",  # nobody is there to press a key
    "GIT_PAGER": "cat",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    **NUMERICS,
}


def own(home: str, scratch: str) -> dict[str, str]:
    """What differs from one execution to the next; `scratch` is its own directory."""
    return {
        "HOME": home,
        "TMPDIR": scratch,
        "MPLCONFIGDIR": f"{scratch}/matplotlib",
        "XDG_CACHE_HOME": f"{scratch}/cache",
    }
