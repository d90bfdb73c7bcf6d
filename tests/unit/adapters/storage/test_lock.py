import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.storage.lock import DataDirInUse, own_data_dir

HOLD = """
import sys
from pathlib import Path
from adapters.storage.lock import own_data_dir
with own_data_dir(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_process_owns_a_folder_and_the_other_is_told_which(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(DataDirInUse, match=f"process {other.pid}"), own_data_dir(folder):
            pass
        other.kill()
        other.wait()
        with own_data_dir(folder):
            assert (folder / "lock").read_text() == f"{os.getpid()}\n"


def test_it_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with own_data_dir(tmp_path), pytest.raises(DataDirInUse), own_data_dir(tmp_path):
            pass
