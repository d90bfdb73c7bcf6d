"""What the sandbox image promises: what is in it, that it works without a network, that nothing raises privileges."""

import json
from typing import Any

import pytest

from tests.conftest import Engine

pytestmark = pytest.mark.docker


def run(engine: Engine, *command: str, **options: Any) -> str:
    """The output of a command in the image, run as in a sandbox: no network, read-only root, a user without a name."""
    settings = {"network_mode": "none", "read_only": True, "user": "20001:20001", "cap_drop": ["ALL"], **options}
    output: bytes = engine.client.containers.run(
        engine.image, list(command), remove=True, tmpfs={"/tmp": "mode=1777"}, environment={"HOME": "/tmp"}, **settings
    )
    return output.decode()


@pytest.mark.parametrize("module", ["numpy", "pandas", "matplotlib.pyplot", "requests"])
def test_python_has_the_promised_modules(engine: Engine, module: str) -> None:
    assert (
        run(engine, "python3", "-W", "error::ImportWarning", "-c", f"import {module}; print('imported')")
        == "imported\n"
    )


def test_everything_is_debian_12s(engine: Engine) -> None:
    assert "VERSION_CODENAME=bookworm" in run(engine, "cat", "/etc/os-release")
    assert run(engine, "python3", "-c", "import sys; print(*sys.version_info[:2])") == "3 11\n"
    assert run(engine, "node", "--version").startswith("v18.")


def test_bash_and_jq_work(engine: Engine) -> None:
    assert json.loads(run(engine, "bash", "-c", """jq -c .a <<< '{"a": [1, 2]}'""")) == [1, 2]


def test_git_works_for_a_user_without_a_name_in_anothers_repository(engine: Engine) -> None:
    script = "git init -q /tmp/r && cd /tmp/r && echo 1 > f && git add f && git commit -qm first && git log --format=%s"
    assert run(engine, "bash", "-c", script) == "first\n"
    assert run(engine, "git", "config", "--system", "--get", "safe.directory") == "*\n"


def test_a_plot_needs_no_display_and_the_font_list_is_ready(engine: Engine) -> None:
    script = """
import os, shutil
shutil.copytree(os.environ["FENCEPOST_MATPLOTLIB_CACHE"], "/tmp/mpl")
os.environ["MPLCONFIGDIR"] = "/tmp/mpl"
before = {f.name: f.stat().st_mtime_ns for f in os.scandir("/tmp/mpl")}
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.savefig("/tmp/plot.png")
assert before == {f.name: f.stat().st_mtime_ns for f in os.scandir("/tmp/mpl")}, "the font list was made anew"
print(open("/tmp/plot.png", "rb").read(4), len(before))
"""
    assert run(engine, "python3", "-c", script) == "b'\\x89PNG' 1\n"


def test_no_program_raises_privileges(engine: Engine) -> None:
    privileged = run(engine, "find", "/", "-xdev", "-perm", "/6000", user="0:0")
    assert privileged == ""
    attributes = """
import os
for folder, _, names in os.walk("/usr"):
    for path in (os.path.join(folder, name) for name in names):
        if "security.capability" in os.listxattr(path, follow_symlinks=False):
            print(path)
"""
    assert run(engine, "python3", "-c", attributes, user="0:0") == ""


def test_imports_read_compiled_files(engine: Engine) -> None:
    log = run(engine, "python3", "-v", "-c", "import pandas, requests, json, asyncio", stderr=True)
    assert "matches /usr/lib/python3/dist-packages/pandas/__init__.py" in log
    assert not [line for line in log.splitlines() if line.startswith("# code object from") and line.endswith(".py'")]


def test_openblas_starts_no_threads(engine: Engine) -> None:
    script = "import numpy, os; a = numpy.ones((300, 300)); a @ a; print(len(os.listdir('/proc/self/task')))"
    assert run(engine, "python3", "-c", script) == "1\n"


def test_the_workspace_is_there_and_where_programs_start(engine: Engine) -> None:
    assert run(engine, "bash", "-c", "pwd; ls -A; ls -A /tmp") == "/workspace\n"


def test_it_is_small_for_what_it_holds(engine: Engine) -> None:
    assert engine.client.images.get(engine.image).attrs["Size"] < 700e6
    assert len(engine.client.images.get(engine.image).attrs["RootFS"]["Layers"]) <= 2
