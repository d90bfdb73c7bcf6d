"""A sandbox for each file of tests, another channel's beside it, and what has to hold after every program."""

from collections.abc import Iterator

import pytest

from executor.types import SandboxLimits
from tests.conftest import Engine
from tests.integration.inside import QUICK, Inside, Result, sandbox

HELLO = """
import os
print('hi', [name for place in ('/tmp', '/dev/shm', '/dev/mqueue') for name in os.listdir(place)
             if f'{place}/{name}' != os.environ['TMPDIR']])
"""


@pytest.fixture(scope="module")
def inside(engine: Engine) -> Iterator[Inside]:
    limits = SandboxLimits(slots=6, execution=QUICK)
    with sandbox(engine.client, engine.image, limits=limits) as made:
        yield made


@pytest.fixture(scope="session")
def neighbour(engine: Engine) -> Iterator[Inside]:
    """Another channel's."""
    with sandbox(engine.client, engine.image) as made:
        made.run("open('/workspace/theirs', 'w').write('x'); open('/tmp/theirs', 'w')")
        yield made


@pytest.fixture(autouse=True)
def unharmed(inside: Inside, neighbour: Inside) -> Iterator[None]:
    """The next program is right and as fast, nothing lies where it should not, no process is left, nobody noticed."""
    inside.logs.clear()
    yield
    assert inside.logs == []
    after = inside.run(HELLO)
    assert (after.out, after.err, after.end.exit_code, after.end.reason) == (b"hi []\n", b"", 0, None)
    assert after.took_ms < 1000
    assert inside.processes() == []
    assert told(neighbour.run("import os; print(os.listdir('/workspace'))")) == b"['theirs']\n"
    assert neighbour.processes() == []
    assert neighbour.logs == []


def told(result: Result) -> bytes:
    assert (result.err, result.end.exit_code, result.end.reason) == (b"", 0, None)
    return result.out
