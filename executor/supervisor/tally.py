"""What one program has used and written so far, against its limits, and in the end its EXIT."""

import os
import time
from typing import Final

from executor.messages import Exit, Reason
from executor.supervisor import usage, verdict
from executor.supervisor.child import Report
from executor.supervisor.deaths import Used
from executor.supervisor.usage import OutOfMemory
from executor.types import MIB, Limits

_SOMETHING: Final = MIB
_LEAST: Final = os.sysconf("SC_PAGE_SIZE")
"""A fork that made do with memory that was free already has written to a page at least."""


class Tally:
    """`in_process`: the program runs in a fork of the supervisor, and has of its memory; else it has replaced it."""

    def __init__(self, limits: Limits, kills: OutOfMemory, *, in_process: bool) -> None:
        self.report = Report()
        self.leftovers = 0
        self._limits = limits
        self._in_process = in_process
        self._kills = kills
        self._kills_before = kills.count()
        self._written = 0
        self._to_stdout = 0
        self._tail = b""
        self._cpu_s = 0.0
        self._peak = 0
        self._peak_at_most = 0
        self._most_tasks = 0
        self._deaths = 0

    @property
    def output_exceeded(self) -> bool:
        return self._written > self._limits.file_output_bytes

    def wrote(self, data: bytes, *, to_stderr: bool) -> bytes:
        """What of it is still to be sent."""
        room = self._limits.file_output_bytes - self._written
        self._written += len(data)
        if not to_stderr:
            self._to_stdout += len(data)
        else:
            self._tail = (self._tail + data)[-verdict.TAIL_BYTES :]
        return data[: max(0, room)]

    def died(self, used: Used) -> None:
        """A process has, and with it all that it had waited for."""
        self._deaths += 1
        self._cpu_s += used.cpu_s
        if self._in_process:
            self._peak = max(self._peak, used.peak - self.report.resident_bytes)
        elif used.peak > self.report.resident_bytes + _SOMETHING:  # else it is what the fork had before its exec
            self._peak = max(self._peak, used.peak)
        else:
            self._peak_at_most = max(self._peak_at_most, used.peak)

    def look(self, uid: int, own_gid: int) -> tuple[bool, float]:
        """Whether the program has more memory than it may, and the seconds until the next look."""
        began = time.monotonic()
        seen = usage.look(uid)
        self._most_tasks = max(self._most_tasks, seen.tasks)
        limit = self._limits.memory_mb * MIB
        used = seen.own(self.report.resident_bytes if self._in_process else 0)
        if seen.resident > limit and len(seen.processes) > 1:
            used = usage.proportional(seen, uid, own_gid)
        self._peak = max(self._peak, used)
        return used > limit, usage.pause(limit - used, time.monotonic() - began)

    def count_tasks(self, uid: int, gone: int) -> None:
        """Once more, with `gone` of them dead already."""
        self._most_tasks = max(self._most_tasks, gone + usage.look(uid).tasks)

    @property
    def quiet(self) -> bool:
        """Whether it has written nothing to its standard output."""
        return not self._to_stdout

    def exit(
        self,
        reason: Reason | None,
        status: int | None,
        duration_s: float,
        *,
        artifacts_left: int = 0,
        value: str | None = None,
    ) -> Exit:
        code = None if status is None else os.waitstatus_to_exitcode(status)
        exit_code = code if code is not None and code >= 0 else None
        signal = -code if code is not None and code < 0 else None
        seen = verdict.Seen(
            imposed=reason,
            exit_code=exit_code,
            signal=signal,
            most_tasks=max(self._most_tasks, self.leftovers + 1),
            allowed_tasks=self._limits.processes,
            deaths=self._deaths,
            leftovers=self.leftovers,
            ran_out_of_memory=bool(code) and self._kills.count() > self._kills_before,
            tail=self._tail,
        )
        found = verdict.reason(seen)
        return Exit(
            exit_code=exit_code,
            signal=signal,
            reason=found,
            duration_ms=round(duration_s * 1000, 3),
            cpu_ms=round(max(0.0, self._cpu_s - self.report.cpu_s) * 1000, 3),
            peak_memory_bytes=max(_LEAST, self._peak or self._peak_at_most),
            bytes=self._written,
            leftovers=self.leftovers,
            artifacts_left=artifacts_left,
            value=value if found is None and exit_code == 0 else None,
        )
