"""The environment of user code: the same for everyone, and nothing of the supervisor's or the image's in it."""

from typing import Final

PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Directories that belong to root: what policy has read as `git` must not be a file of the requester's."""

_THREADS: Final = "2"
"""Libraries start a thread for each of the machine's processors, however few of them the sandbox may use."""

NUMERICS: Final = {
    "OMP_NUM_THREADS": _THREADS,
    "OPENBLAS_NUM_THREADS": _THREADS,
    "MKL_NUM_THREADS": _THREADS,
    "MPLBACKEND": "Agg",
}
"""Also the supervisor's own, before it imports what is to be preloaded."""


def build(home: str, scratch: str) -> dict[str, str]:
    """`scratch` is the execution's own directory. PAGER and the like: nobody is there to press a key."""
    return {
        "PATH": PATH,
        "HOME": home,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "USER": "sandbox",
        "LOGNAME": "sandbox",
        "SHELL": "/bin/bash",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "PYTHONNOUSERSITE": "1",
        "MPLCONFIGDIR": f"{scratch}/matplotlib",
        "XDG_CACHE_HOME": f"{scratch}/cache",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        **NUMERICS,
    }
