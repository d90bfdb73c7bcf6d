import os

import pytest


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is set where the tests are run is no part of them."""
    for name in os.environ:
        if name.startswith("FENCEPOST_"):
            monkeypatch.delenv(name)
