import signal
from dataclasses import replace

import pytest

from executor.messages import Reason
from executor.supervisor.verdict import Seen, reason

FINE = Seen(
    imposed=None,
    exit_code=0,
    signal=None,
    most_tasks=1,
    allowed_tasks=64,
    deaths=1,
    leftovers=0,
    ran_out_of_memory=False,
    tail=b"",
)
FAILED = replace(FINE, exit_code=1)
KILLED = replace(FINE, exit_code=None, signal=signal.SIGKILL)
COMPLAINT = b"BlockingIOError: [Errno 11] Resource temporarily unavailable"


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (FINE, None),
        (FAILED, None),
        (KILLED, None),
        (replace(KILLED, imposed="cancelled"), "cancelled"),
        (replace(KILLED, imposed="output"), "output"),
        (replace(KILLED, imposed="timeout"), "timeout"),
        # the kernel ended it, or what its shell ran; a program that caught it all and ended well has not met a limit
        (replace(KILLED, ran_out_of_memory=True), "memory"),
        (replace(FAILED, exit_code=137, ran_out_of_memory=True), "memory"),
        (replace(FAILED, ran_out_of_memory=True), None),
        (replace(FINE, ran_out_of_memory=True), None),
        # as many tasks as are allowed, or complaints and at least half of them
        (replace(FAILED, most_tasks=64), "processes"),
        (replace(FAILED, most_tasks=63), None),
        (replace(FAILED, most_tasks=32, tail=COMPLAINT), "processes"),
        (replace(FAILED, most_tasks=31, tail=COMPLAINT), None),
        (replace(FAILED, deaths=32, tail=COMPLAINT), "processes"),
        (replace(FAILED, deaths=64), None),
        (replace(FAILED, tail=b"RuntimeError: can't start new thread\n"), "processes"),
        (replace(FAILED, tail=b"can't start new thread\nKeyError: 1\n"), None),
        (replace(FINE, tail=b"can't start new thread\n"), None),
        (replace(FINE, most_tasks=64, tail=COMPLAINT), None),
        # what it has left behind is a bomb: a quarter of what is allowed, and the limit was met
        (replace(FINE, most_tasks=64, leftovers=16), "processes"),
        (replace(FINE, most_tasks=64, leftovers=15), None),
        (replace(FINE, most_tasks=32, leftovers=16, tail=COMPLAINT), "processes"),
        (replace(FINE, most_tasks=63, leftovers=63), None),
        (replace(KILLED, imposed="timeout", most_tasks=64), "processes"),
        (replace(KILLED, imposed="memory", most_tasks=64), "memory"),
        (replace(FINE, exit_code=None, signal=signal.SIGXCPU), "cpu"),
        (replace(FINE, exit_code=None, signal=signal.SIGXFSZ), "file_size"),
        (replace(FINE, exit_code=None, signal=signal.SIGSEGV), None),
        # Python ignores that signal, and shells go on
        (replace(FAILED, tail=b"Traceback\nOSError: [Errno 27] File too large\n"), "file_size"),
        (replace(FAILED, tail=b"head: error writing 'standard output': File too large"), "file_size"),
        (replace(FAILED, tail=b"OSError: [Errno 27] File too large\nKeyError: 1\n"), None),
        (replace(FINE, tail=b"OSError: [Errno 27] File too large\n"), None),
    ],
)
def test_one_reason_follows_from_what_was_seen(seen: Seen, expected: Reason | None) -> None:
    assert reason(seen) == expected
