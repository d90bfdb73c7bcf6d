"""Figures that a program shows come out as images; it saves nothing itself."""

from typing import Any

import pytest

from tests.integration.inside import Inside, Result
from tests.integration.supervisor.case import ROOMY
from tests.integration.supervisor.conftest import told

pytestmark = pytest.mark.docker

PLOT = "import matplotlib.pyplot as plt\n"
PNG = b"\x89PNG\r\n\x1a\n"


def shown(inside: Inside, code: str, **changes: Any) -> Result:
    result = inside.run(code, limits=ROOMY, **{"collect": True} | changes)
    assert (result.err, result.end.exit_code) == (b"", 0)
    assert all(data.startswith(PNG) for data in result.files.values())
    return result


def test_a_figure_that_is_shown_comes_out_and_lies_nowhere(inside: Inside) -> None:
    assert list(shown(inside, PLOT + "plt.plot([1, 2])\nplt.show()").files) == ["figure-1.png"]
    assert told(inside.run("import os; print(os.listdir('.'))")) == b"[]\n"


@pytest.mark.parametrize("workspace", ["ro", "none"])
def test_so_does_one_of_a_program_that_may_not_write(inside: Inside, workspace: str) -> None:
    if not inside.ready.landlock:
        pytest.skip("this kernel has no Landlock")
    assert list(shown(inside, PLOT + "plt.plot([1, 2])\nplt.show()", workspace=workspace).files) == ["figure-1.png"]


def test_each_show_closes_what_was_open(inside: Inside) -> None:
    code = "plt.figure(); plt.figure()\nplt.show()\nprint(plt.get_fignums())\nplt.plot([3])\nplt.show()\nplt.show()"
    result = shown(inside, PLOT + code)
    assert list(result.files) == ["figure-1.png", "figure-2.png", "figure-3.png"]
    assert result.out == b"[]\n"
    assert len(set(result.files.values())) == 2


def test_a_show_that_does_not_wait_is_seen_as_it_ends(inside: Inside) -> None:
    alone = shown(inside, PLOT + "for n in range(4): plt.plot([n, 1])\nplt.show()")
    for code in (
        "plt.ion()\nfor n in range(4): plt.plot([n, 1]); plt.pause(.001)",
        "for n in range(4): plt.plot([n, 1]); plt.show(block=False)",
        "figure, axes = plt.subplots()\nfigure.show()\nfor n in range(4): axes.plot([n, 1])",
        "figure, axes = plt.subplots()\nfigure.show()\nfor n in range(4): axes.plot([n, 1])\nplt.show()",
    ):
        assert shown(inside, PLOT + code).files == alone.files


@pytest.mark.parametrize(
    "code",
    [
        "import matplotlib\nmatplotlib.use('Agg')\nfrom matplotlib.pyplot import *\nplot([1])\nshow()",
        "from pylab import *\nplot([1])\nshow()",
        "import matplotlib\nmatplotlib.use('svg')\nimport matplotlib.pyplot as p\np.plot([1])\np.show()",
        "import pandas\npandas.DataFrame({'a': [1, 2]}).plot()\nimport matplotlib.pyplot as p\np.show()",
    ],
)
def test_however_it_is_imported(inside: Inside, code: str) -> None:
    assert list(shown(inside, code).files) == ["figure-1.png"]


def test_what_is_not_shown_does_not_come_out(inside: Inside) -> None:
    assert shown(inside, PLOT + "plt.plot([1])").files == {}
    assert shown(inside, PLOT + "plt.plot([1])\nplt.close()\nplt.show()").files == {}
    result = shown(inside, PLOT + "plt.plot([1])\nplt.savefig('mine.png')")
    assert list(result.files) == ["mine.png"]
    inside.run("import os; os.unlink('mine.png')")


def test_no_figure_takes_the_name_of_a_file(inside: Inside) -> None:
    code = PLOT + "plt.plot([1])\nplt.savefig('figure-1.png', dpi=20)\nplt.show()\nplt.plot([1, 2])\nplt.show()"
    result = shown(inside, code)
    assert list(result.files) == ["figure-2.png", "figure-3.png", "figure-1.png"]
    assert len(result.files["figure-1.png"]) < len(result.files["figure-2.png"])
    assert list(shown(inside, PLOT + "plt.plot([1])\nplt.show()", figures=3).files) == ["figure-4.png"]
    inside.run("import os; os.unlink('figure-1.png')")


def test_figures_of_forked_processes_do_not_take_each_others_names(inside: Inside) -> None:
    code = PLOT + (
        "from multiprocessing import Process\ndef f(n): plt.plot([n]); plt.show()\n"
        "p = [Process(target=f, args=[n]) for n in range(3)]\n[x.start() for x in p]; [x.join() for x in p]"
    )
    assert sorted(shown(inside, code).files) == ["figure-1.png", "figure-2.png", "figure-3.png"]


def test_figures_come_out_of_a_program_that_fails_afterwards(inside: Inside) -> None:
    result = inside.run(PLOT + "plt.plot([1])\nplt.show()\n1 / 0", limits=ROOMY, collect=True)
    assert list(result.files) == ["figure-1.png"]
    assert result.end.exit_code == 1


def test_figures_are_limited_like_files(inside: Inside) -> None:
    code = PLOT + "for n in range(12): plt.figure(figsize=(1, 1))\nopen('file', 'w')\nplt.show()"
    result = shown(inside, code)
    assert list(result.files) == [f"figure-{n}.png" for n in range(1, 11)]
    assert result.end.artifacts_left == 3
    inside.run("import os; os.unlink('file')")


HOSTILE = """
import os
own = os.environ['TMPDIR']
os.mkdir(own + '/figures')
os.chdir(own + '/figures')
os.symlink('/etc/passwd', 'figure-1.png')
os.mkfifo('figure-2.png')
open('figure-3.txt', 'w'); open('figure-0.png', 'w'); open('figure-10000.png', 'w'); open('.png', 'w')
os.mkdir('figure-4.png')
os.truncate(os.open('figure-5.png', os.O_CREAT | os.O_WRONLY), 100 << 20)
open('figure-6.png', 'w').write('no image'); os.chmod('figure-6.png', 0)
open('figure-7.png', 'w').write('no image')
"""


def test_hostile_figures(inside: Inside) -> None:
    result = inside.run(HOSTILE, collect=True)
    assert (result.err, result.files) == (b"", {"figure-7.png": b"no image"})
    assert result.end.artifacts_left == 5


@pytest.mark.parametrize("target", ["/etc", "/workspace", "/proc/self"])
def test_a_folder_that_is_a_link(inside: Inside, target: str) -> None:
    code = f"import os; os.symlink({target!r}, os.environ['TMPDIR'] + '/figures')"
    assert inside.run(code, collect=True).files == {}
    code = f"import os, shutil; shutil.rmtree(own := os.environ['TMPDIR']); os.symlink({target!r}, own)"
    assert inside.run(code, collect=True, echo=True).files == {}
