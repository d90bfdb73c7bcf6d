"""Shell commands as other programs call them: a process, its streams, its exit code."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.settings import instance_of
from tests.acceptance.process import free_port
from tests.conftest import Engine

PATIENCE_S = 60.0


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Running:
    process: asyncio.subprocess.Process
    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader

    async def line(self) -> str:
        return (await asyncio.wait_for(self.stdout.readline(), PATIENCE_S)).decode()

    async def end(self, stdin: bytes = b"") -> Ended:
        """Its input ends with these bytes; what it still says, once it has ended."""
        out, err = await asyncio.wait_for(self.process.communicate(stdin), PATIENCE_S)
        assert self.process.returncode is not None
        return Ended(self.process.returncode, out.decode(), err.decode())


@dataclass(frozen=True)
class Shell:
    """Calls `fencepost` with a data directory of its own."""

    folder: Path
    docker: str = "unix:///nowhere"

    def environ(self, port: int) -> dict[str, str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("FENCEPOST_")}
        return env | {
            "FENCEPOST_DATA_DIR": str(self.folder / "data"),
            "FENCEPOST_DOCKER__HOST": self.docker,
            "FENCEPOST_WEB__PORT": str(port),
        }

    @asynccontextmanager
    async def running(self, *words: str, port: int = 0) -> AsyncIterator[Running]:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            *words,
            env=self.environ(port),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            limit=2**24,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        running = Running(process, process.stdin, process.stdout)
        try:
            yield running
        finally:
            if process.returncode is None:
                process.kill()
            await running.end()

    def commands(self) -> list[str]:
        """The instances of commands that have, or have left, a sandbox."""
        return sorted(path.name for path in (self.folder / "data" / "exec").glob("exec-*"))

    async def call(self, *words: str, stdin: bytes = b"") -> Ended:
        async with self.running(*words) as running:
            return await running.end(stdin)


async def sleeping(command: Running) -> None:
    """Give it a program that sleeps, and wait until it does."""
    command.stdin.write(b"import time\nprint('on', flush=True)\ntime.sleep(60)\n")
    command.stdin.close()
    assert await command.line() == "on\n"


def jsonl(*requests: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(request).encode() + b"\n" for request in requests)


@pytest.fixture
def plain(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def shell(engine: Engine, tmp_path: Path) -> Iterator[Shell]:
    """None of its sandboxes is left behind, whatever became of the commands."""
    yield Shell(tmp_path, engine.address)
    data = tmp_path / "data"
    instances = Shell(tmp_path).commands()
    instances += [instance_of(data / "console" / channel) for channel in ("general", "data", "ops")]
    left = []
    for instance in instances:
        for container in engine.client.containers.list(all=True, filters={"label": f"fencepost.instance={instance}"}):
            container.remove(force=True, v=True)
            left.append(container.name)
    assert left == []


# ---- without Docker


async def test_blocks_reads_a_message_from_its_input(plain: Shell) -> None:
    ended = await plain.call("blocks", "--json", "-", stdin=b"a\n~~~bash\r\nls\r\n~~~\n```py\nopen")
    assert ended.code == 0
    first, second = ended.json()["blocks"]
    assert (first["language"], first["line"], first["closed"]) == ("bash", 2, True)
    assert (second["language"], second["code"], second["closed"]) == ("python", "open\n", False)


async def test_blocks_answers_line_by_line_whatever_comes(plain: Shell) -> None:
    async with plain.running("blocks", "--jsonl") as blocks:
        for line, wanted in (
            (jsonl({"id": 1, "text": "```py\n1\n```"}), 1),
            (b"\xff\n", None),
            (b"{\n", None),
            (jsonl({"id": "last", "text": ""}), "last"),
        ):
            blocks.stdin.write(line)
            answer = json.loads(await blocks.line())
            assert answer["id"] == wanted
            assert ("error" in answer) == (wanted is None)
        assert (await blocks.end()).code == 0


async def test_a_reader_that_leaves_is_no_failure_worth_a_traceback(plain: Shell) -> None:
    async with plain.running("blocks", "--jsonl") as blocks:
        blocks.stdout._transport.close()  # type: ignore[attr-defined]
        ended = await blocks.end(jsonl(*({"id": n, "text": "x" * 1000} for n in range(200))))
        assert "Traceback" not in ended.err


async def test_policy_check_decides_and_says_so_by_its_exit_code(plain: Shell) -> None:
    allowed = await plain.call("policy", "check", "--policy", "team", "--lang", "bash", "--json", "-", stdin=b"ls\n")
    assert (allowed.code, allowed.json()["decision"]) == (0, "allow")
    asked = await plain.call("policy", "check", "--policy", "strict", "--lang", "bash", "--json", "-", stdin=b"ls\n")
    assert (asked.code, asked.json()["decision"]) == (1, "ask")
    assert asked.json()["approvers"] == [{"from": ["leads"], "need": 1}]
    code = {"language": "bash", "code": "ls"}
    lines = jsonl({"id": 1, **code}, {"id": 2, "language": "bash"}, {"id": 3, **code, "timeout": 10**400})
    answers = (await plain.call("policy", "check", "--policy", "team", "--jsonl", stdin=lines)).lines()
    assert (answers[0]["id"], answers[0]["decision"]) == (1, "allow")
    assert [set(answer) for answer in answers[1:]] == [{"id", "error"}] * 2


async def test_without_an_engine_the_answer_is_three_lines_and_exit_code_three(plain: Shell) -> None:
    ended = await plain.call("exec", stdin=b"print(1)")
    assert ended.code == 3
    assert [line.split(":")[0].strip() for line in ended.err.splitlines()] == ["error", "why", "fix"]
    doctor = await plain.call("doctor", "--json")
    assert doctor.code == 1
    checks = {check["name"]: check for check in doctor.json()["checks"]}
    assert checks["docker"]["status"] == "failed"
    assert checks["docker"]["fix"]


async def test_a_setting_that_does_not_exist_is_named(plain: Shell, tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text("\n[limits]\nslot = 3\n")
    ended = await plain.call("demo", "--config", str(tmp_path / "f.toml"))
    assert ended.code == 2
    assert "limits.slot" in ended.err
    assert "f.toml:3" in ended.err
    assert "limits.slots" in ended.err


async def test_a_team_logs_in_with_what_adduser_made(plain: Shell) -> None:
    token = (await plain.call("web", "adduser", "ana", "--role", "lead", "--token")).out.strip()
    port = free_port()
    async with plain.running("run", "--json", port=port) as bot:
        address = json.loads(await bot.line())["address"]
        assert address == f"http://127.0.0.1:{port}"
        async with aiohttp.ClientSession() as http:
            async with http.get(f"{address}/api/me") as response:
                assert response.status == 401
            async with http.get(f"{address}/api/me", headers={"Authorization": f"Bearer {token}"}) as response:
                me = await response.json()
        assert (me["id"], me["roles"]) == ("ana", ["lead"])
        again = await plain.call("run", "--json")
        assert again.code == 3
        assert "in use" in again.json()["why"]
        bot.process.send_signal(signal.SIGTERM)
        ended = await bot.end()
        assert ended.code == 0
        assert token not in ended.err


# ---- with Docker


@pytest.mark.docker
async def test_exec_runs_code_and_answers_in_the_agreed_shape(shell: Shell) -> None:
    ended = await shell.call("exec", "--json", stdin=b"import sys\nprint(6 * 7)\nprint('e', file=sys.stderr)\n")
    answer = ended.json()
    assert ended.code == 0
    assert set(answer) >= {
        "outcome",
        "exit_code",
        "stdout",
        "stderr",
        "truncated",
        "duration_ms",
        "cpu_ms",
        "peak_memory_bytes",
        "artifacts",
        "limit",
    }
    assert (answer["outcome"], answer["exit_code"], answer["stdout"], answer["stderr"]) == (
        "completed",
        0,
        "42\n",
        "e\n",
    )


@pytest.mark.docker
async def test_exec_passes_output_through_and_says_how_it_ended(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "code").write_text("echo out; echo err >&2; exit 3")
    ended = await shell.call("exec", "--lang", "bash", "--file", str(tmp_path / "code"))
    assert (ended.code, ended.out) == (1, "out\n")
    assert ended.err.startswith("err\n")
    assert "exit 3" in ended.err
    limited = await shell.call("exec", "--timeout", "0.5", "--json", stdin=b"while True: pass")
    assert (limited.code, limited.json()["limit"]) == (1, {"name": "timeout_s", "value": 0.5})


@pytest.mark.docker
async def test_exec_answers_requests_in_one_workspace_and_survives_bad_ones(shell: Shell) -> None:
    lines = (
        jsonl({"id": "a", "language": "python", "code": "open('f', 'w').write('kept')"})
        + b"nonsense\n"
        + jsonl(
            {"id": "b", "language": "cobol", "code": "x"},
            {"id": "c", "language": "py", "code": "while True: pass", "timeout": 0.3},
            {"id": "d", "language": "py", "code": "1", "timeout": -1},
            {"id": "e", "language": "bash", "code": "cat f"},
        )
    )
    ended = await shell.call("exec", "--jsonl", stdin=lines)
    answers = ended.lines()
    assert ended.code == 0
    assert [answer["id"] for answer in answers] == ["a", None, "b", "c", "d", "e"]
    assert [answer.get("outcome") for answer in answers] == ["completed", None, None, "timed_out", None, "completed"]
    assert answers[0]["artifacts"] == [{"path": "f", "bytes": 4}]
    assert answers[-1]["stdout"] == "kept"


@pytest.mark.docker
async def test_exec_keeps_the_workspace_of_a_channel_that_is_named(shell: Shell) -> None:
    count = b"open('n', 'a').write('x'); print(len(open('n').read()))"
    for turn in range(2):
        ended = await shell.call("exec", "--channel", "my data/../x", stdin=count)
        assert (ended.code, ended.out) == (0, f"{turn + 1}\n")
    assert (await shell.call("exec", "--channel", "another", stdin=count)).out == "1\n"
    assert (await shell.call("exec", stdin=count)).out == "1\n"
    assert (await shell.call("exec", "--channel", "my data/../x", "--json", stdin=count)).json()["stdout"] == "3\n"
    kept = {path.name for path in (shell.folder / "data" / "exec" / "channels").glob("*.journal")}
    assert {name.rpartition("-")[0] for name in kept} == {"my-data-x", "another"}


@pytest.mark.docker
async def test_two_execs_in_one_channel_wait_for_each_other(shell: Shell) -> None:
    count = b"import time; open('n', 'a').write('x'); time.sleep(0.5); print(len(open('n').read()))"
    both = await asyncio.gather(*(shell.call("exec", "--channel", "c", stdin=count) for _ in range(2)))
    assert sorted(ended.out for ended in both) == ["1\n", "2\n"]
    assert "waiting for it" in both[0].err + both[1].err


@pytest.mark.docker
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
async def test_exec_that_is_ended_cancels_the_code_and_removes_the_sandbox(
    shell: Shell, engine: Engine, sign: signal.Signals
) -> None:
    async with shell.running("exec") as command:
        await sleeping(command)
        [mine] = shell.commands()
        labelled = {"label": f"fencepost.instance={mine}"}
        assert len(engine.client.containers.list(filters=labelled)) == 1
        command.process.send_signal(sign)
        assert (await command.end()).code == 1
        assert engine.client.containers.list(all=True, filters=labelled) == []


@pytest.mark.docker
async def test_what_a_killed_exec_left_is_removed_by_the_next(shell: Shell, engine: Engine) -> None:
    async with shell.running("exec") as command:
        await sleeping(command)
        [left] = shell.commands()
        labelled = {"label": f"fencepost.instance={left}"}
        command.process.kill()
    assert len(engine.client.containers.list(all=True, filters=labelled)) == 1
    assert (await shell.call("exec", stdin=b"print(1)")).out == "1\n"
    assert engine.client.containers.list(all=True, filters=labelled) == []


@pytest.mark.docker
async def test_doctor_finds_the_limits_in_force(shell: Shell) -> None:
    ended = await shell.call("doctor", "--json")
    checks = {check["name"]: check["status"] for check in ended.json()["checks"]}
    assert {
        name: checks[name] for name in ("sandbox", "hardening", "time", "memory", "processes", "output")
    } == dict.fromkeys(("sandbox", "hardening", "time", "memory", "processes", "output"), "ok")
    assert ended.code == 0


@pytest.mark.docker
async def test_the_console_asks_refuses_approves_and_remembers_over_a_restart(shell: Shell) -> None:
    first = await shell.call(
        "console", "--channel", "data", stdin=b"```python\nprint(6 * 7)\n```\n/press approve\n/as lee\n"
    )
    assert first.code == 0
    assert "ana wants to run Python" in first.out
    assert "someone else has to" in first.out
    second = await shell.call("console", "--channel", "data", "--as", "lee", stdin=b"/press approve\n")
    assert "ana wants to run Python" in second.out
    assert "✅ Python · exit 0" in second.out
    assert "│ 42" in second.out
    assert "Approved by lee" in second.out
    [known] = (await shell.call("channels", "--json")).json()["channels"]
    assert (known["channel"], known["requests"], known["waiting"]) == ("console:local/data", 1, 0)


@pytest.mark.docker
async def test_the_console_streams_and_stops(shell: Shell) -> None:
    code = "import time\nfor n in range(100):\n    print('tick', n, flush=True)\n    time.sleep(0.2)\n"
    async with shell.running("console") as console:
        console.stdin.write(f"```python\n{code}```\n".encode())
        seen: list[str] = []
        while "│ tick 3" not in (seen[-1] if seen else ""):
            seen.append(await console.line())
            assert seen[-1], "it ended before"
        ended = await console.end(b"/press stop\n")
        text = "".join(seen) + ended.out
        assert text.count("│ tick 3\n") == 1, "output is told once"
        assert "stopped by ana" in text
        assert ended.code == 0


@pytest.mark.docker
@pytest.mark.parametrize(("words", "code"), [(("exec", "--jsonl"), 1), (("console",), 0)])
async def test_a_signal_ends_what_waits_for_its_input(shell: Shell, words: tuple[str, ...], code: int) -> None:
    async with shell.running(*words) as command:
        command.stdin.write(jsonl({"id": 1, "language": "py", "code": "1"}) if words[0] == "exec" else b"/help\n")
        assert await command.line()
        command.process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(command.process.wait(), PATIENCE_S) == code
        assert (await command.end()).err == ""
