"""Speaks to a real supervisor in a real container, frame by frame and without the pool, for tests."""

import secrets
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from executor import frames
from executor.attach import Demultiplexer
from executor.frames import Frame, HostDecoder, Kind
from executor.hardening import Identity, SandboxSpec, create_options
from executor.languages import DEFAULT_LANGUAGES
from executor.messages import (
    Exit,
    Ready,
    Refused,
    Start,
    decode_artifact,
    decode_exit,
    decode_ready,
    decode_refused,
    encode_start,
)
from executor.supervisor.bundle import COMMAND, build
from executor.supervisor.config import Config
from executor.types import Limits, SandboxLimits

QUICK = Limits(timeout_s=5.0, memory_mb=128, file_output_bytes=2_000_000, output_bytes=1_000_000)


@dataclass
class Result:
    """What came for one run. `first_ms` is the time to the first output byte, `took_ms` to the end."""

    out: bytes = b""
    err: bytes = b""
    exit: Exit | None = None
    refused: Refused | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    started: bool = False
    first_ms: float = 0.0
    took_ms: float = 0.0

    @property
    def end(self) -> Exit:
        assert self.exit is not None, (self.refused, self.out, self.err)
        return self.exit


def block(code: str, language: str = "python", **changes: Any) -> Start:
    row = DEFAULT_LANGUAGES[language]
    values: dict[str, Any] = {"id": "e", "requester": "ana", "limits": QUICK, "name": row.filename} | changes
    return Start(language=language, command=row.command, code=code, **values)


class Inside:
    """One attachment to one container's supervisor."""

    def __init__(self, client: Any, container: Any, token: bytes) -> None:
        self.container = container
        self.logs: list[str] = []
        self.base = 0
        self.ready = Ready("")
        self._client = client
        self._token = token
        self._socket: Any = None
        self._held: Any = None
        self._run = secrets.randbelow(2**31)
        self.results: dict[int, Result] = {}
        self._begun: dict[int, float] = {}
        self._pongs = 0

    def attach(self) -> None:
        parameters = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        self._held = self._client.api.attach_socket(self.container.id, params=parameters)
        self._socket = self._held._sock
        self._socket.settimeout(30)
        self._streams = Demultiplexer()

    def detach(self) -> None:
        self._socket.close()
        self._held.close()

    def synchronise(self, ahead: bytes = b"") -> Ready:
        nonce = secrets.token_bytes(frames.NONCE_BYTES)
        self._decoder = HostDecoder(self._token, nonce)
        self._greetings: list[Ready] = []
        self.send(ahead + frames.encode_sync(self._token, nonce))
        self.wait(lambda: self._greetings, 30)
        return self._greetings[0]

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def start(self, start: Start) -> int:
        self._run += 1
        self.results[self._run] = Result()
        self._begun[self._run] = time.perf_counter()
        self.send(b"".join(encode_start(self._run, start, self._token)))
        return self._run

    def cancel(self, run: int) -> None:
        self.send(frames.encode(Kind.CANCEL, run))

    def finish(self, run: int, seconds: float = 30.0) -> Result:
        result = self.results[run]
        self.wait(lambda: result.exit is not None or result.refused is not None, seconds)
        return result

    def run(self, code: str, language: str = "python", **changes: Any) -> Result:
        return self.finish(self.start(block(code, language, **changes)))

    def ping(self) -> float:
        before, began = self._pongs, time.perf_counter()
        self.send(frames.encode(Kind.PING, 0, b"x"))
        self.wait(lambda: self._pongs > before, 10)
        return (time.perf_counter() - began) * 1000

    def wait(self, done: Any, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not done():
            readable, _, _ = select.select([self._socket], [], [], max(0.0, until - time.monotonic()))
            assert readable, f"nothing came within {seconds} s; logs: {self.logs}"
            data = self._socket.recv(1 << 16)
            assert data, f"the supervisor is gone: {self.logs}"
            out, err = self._streams.feed(data)
            if err:
                self.logs.append(err.decode(errors="replace"))
            for frame in self._decoder.feed(out):
                self._take(frame)

    def _take(self, frame: Frame) -> None:
        match frame.kind:
            case Kind.READY:
                self._greetings.append(decode_ready(frame.payload))
            case Kind.LOG:
                self.logs.append(frame.payload.decode(errors="replace"))
            case Kind.PONG:
                self._pongs += 1
            case _:
                if (result := self.results.get(frame.run)) is not None:
                    self._add(frame, result)

    def _add(self, frame: Frame, result: Result) -> None:
        elapsed = (time.perf_counter() - self._begun[frame.run]) * 1000
        match frame.kind:
            case Kind.STARTED:
                assert (result.started, result.out, result.err) == (False, b"", b"")
                result.started = True
            case Kind.STDOUT:
                result.first_ms = result.first_ms or elapsed
                result.out += frame.payload
            case Kind.STDERR:
                result.err += frame.payload
            case Kind.ARTIFACT:
                head = decode_artifact(frame.payload)
                self._file = (head.path, head.bytes)
                result.files[head.path] = b""
            case Kind.DATA:
                result.files[self._file[0]] += frame.payload
                assert len(result.files[self._file[0]]) <= self._file[1]
            case Kind.EXIT:
                result.exit, result.took_ms = decode_exit(frame.payload), elapsed
            case Kind.REFUSED:
                result.refused, result.took_ms = decode_refused(frame.payload), elapsed
            case _:
                raise AssertionError(f"unexpected {frame}")

    def processes(self, uid: int | None = None) -> list[str]:
        """Command lines of the container's processes of one uid, or of all that are not root's, seen from outside."""
        rows = self.container.top(ps_args="-eo pid,uid,args")["Processes"]
        return [row[2] for row in rows if (int(row[1]) == uid if uid is not None else int(row[1]) != 0)]


@contextmanager
def sandbox(
    client: Any, image: str, *, limits: SandboxLimits | None = None, runtime: str | None = None, **config: Any
) -> Iterator[Inside]:
    """A hardened container with a supervisor that is ready; gone afterwards."""
    token = secrets.token_bytes(frames.TOKEN_BYTES)
    base = 1_500_000_000 + 256 * secrets.randbelow(1_000_000)
    limits = limits or SandboxLimits(execution=QUICK)
    identity = Identity("supervisor-test", token.hex(), base)
    options = create_options(SandboxSpec(image, limits, runtime), identity, "test", COMMAND)
    made = client.api.create_container_from_config(options, f"fencepost-supervisor-test-{token.hex()[:8]}")
    container = client.containers.get(made["Id"])
    try:
        inside = Inside(client, container, token)
        inside.attach()
        container.start()
        inside.base = base
        inside.ready = inside.synchronise(build(Config(token.hex(), base, slots=limits.slots, **config)))
        try:
            yield inside
        finally:
            inside.detach()
    finally:
        container.remove(v=True, force=True)
        for volume in client.volumes.list(filters={"name": identity.volume}):
            volume.remove()
