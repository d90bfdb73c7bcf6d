"""The workspace kept from a program."""

import pytest

from tests.integration.inside import Inside

pytestmark = pytest.mark.docker


def test_a_workspace_that_may_only_be_read(inside: Inside) -> None:
    if not inside.ready.landlock:
        pytest.skip("this kernel has no Landlock")
    inside.run("import os; os.makedirs('ro', exist_ok=True); open('ro/f', 'w').write('data')")
    code = """
import os, tempfile
def refused(attempt):
    try: attempt()
    except OSError: return True
print(all(map(refused, [
    lambda: open('ro/f', 'w'), lambda: open('new', 'w'), lambda: os.unlink('ro/f'), lambda: os.mkdir('d'),
    lambda: os.truncate('ro/f', 0), lambda: os.rename('ro/f', '/tmp/f'), lambda: os.symlink('a', 'b'),
    lambda: os.link('ro/f', 'l'), lambda: os.open('ro/f', os.O_RDONLY | os.O_TRUNC),
])))
print(open('ro/f').read(), os.listdir('ro'))
with tempfile.TemporaryDirectory() as d:
    open(d + '/a', 'w').write('x'); os.rename(d + '/a', os.environ['TMPDIR'] + '/b')
open('/dev/null', 'w').write('x'); open('/dev/shm/x', 'w')
"""
    result = inside.run(code, workspace="ro")
    assert (result.out, result.err) == (b"True\ndata ['f']\n", b"")
    assert inside.run("cat ro/f; echo x > ro/f", "bash", workspace="ro").out == b"data"


def test_a_workspace_that_is_hidden(inside: Inside) -> None:
    if not inside.ready.landlock:
        pytest.skip("this kernel has no Landlock")
    code = "import os\nprint(os.getcwd() == os.environ['HOME'] == os.environ['TMPDIR'])\nos.listdir('/workspace')"
    result = inside.run(code, workspace="none")
    assert result.out == b"True\n"
    assert b"PermissionError" in result.err
    assert inside.run("cat /workspace/ro/f; ls /workspace; ls /tmp", "bash", workspace="none").out.count(b"\n") == 1
