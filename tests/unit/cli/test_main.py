"""Commands that need neither Docker nor standard input, through the front door."""

import io
import json
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.cli.arguments import COMMANDS

FENCE = "Look:\n```py\nprint(1)\n```\n```\nwhat\n```\n"


@pytest.fixture
def message(tmp_path: Path) -> str:
    path = tmp_path / "message"
    path.write_text(FENCE)
    return str(path)


@pytest.fixture
def code(tmp_path: Path) -> str:
    path = tmp_path / "code"
    path.write_text("print(1)\n")
    return str(path)


def test_blocks_as_json(message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blocks", "--json", message]) == 0
    report = json.loads(capsys.readouterr().out)
    first, second = report["blocks"]
    wanted = {"language": "python", "code": "print(1)\n", "info": "py", "line": 2, "closed": True}
    assert {key: first[key] for key in wanted} == wanted
    assert second["language"] is None
    assert len(report["hints"]) == 1


def test_blocks_for_people(message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blocks", message]) == 0
    out = capsys.readouterr().out
    assert "python · line 2\nprint(1)\n" in out
    assert "hint: " in out
    assert "\x1b" not in out


@pytest.mark.parametrize(("policy", "decision", "exit_code"), [("team", "allow", 0), ("strict", "ask", 1)])
def test_policy_check(
    code: str, policy: str, decision: str, exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["policy", "check", "--policy", policy, "--lang", "py", "--json", code]) == exit_code
    report = json.loads(capsys.readouterr().out)
    assert report["decision"] == decision
    assert set(report) >= {
        "decision",
        "rule",
        "reasons",
        "facts",
        "uncovered",
        "profile",
        "grants",
        "digest",
        "approvers",
        "quorum",
    }
    assert main(["policy", "explain", "--policy", policy, code]) == exit_code
    assert main(["policy", "check", "--policy", policy, code]) == exit_code
    assert decision in capsys.readouterr().out


def test_policy_check_reads_crlf_as_lf(code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crlf = tmp_path / "crlf"
    crlf.write_bytes(b"print(1)\r\n")
    digests = set()
    for path in (code, str(crlf)):
        main(["policy", "check", "--policy", "team", "--json", path])
        digests.add(json.loads(capsys.readouterr().out)["digest"])
    assert len(digests) == 1


@pytest.mark.parametrize("preset", ["open", "team", "team-analysed", "strict"])
def test_the_presets_hold(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["policy", "test", preset, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"] > 0


def test_a_policy_that_does_not_hold_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.toml"
    path.write_text('format = 1\ndefault = "allow"\n')
    assert main(["policy", "test", str(path)]) == 1
    assert "default" in capsys.readouterr().out
    assert main(["policy", "check", "--policy", str(path), "--json", str(path)]) == 2


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nonsense"],
        ["blocks", "--platform", "irc"],
        ["blocks", "/does/not/exist"],
        ["policy"],
        ["policy", "check", "--policy", "/does/not/exist", "-"],
        ["exec", "--timeout", "soon"],
        ["console", "--as", "eve"],
        ["run", "--config", "/does/not/exist"],
    ],
)
def test_wrong_usage_is_three_lines_and_exit_code_two(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    told = capsys.readouterr()
    what, why, fix = told.err.splitlines()
    assert what.startswith("error: ")
    assert why.startswith("  why: ")
    assert fix.startswith("  fix: ")
    assert told.out == ""


def test_an_error_is_json_where_json_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blocks", "--json", "/does/not/exist"]) == 2
    assert set(json.loads(capsys.readouterr().out)) == {"error", "why", "fix"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_takes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: fencepost {command}")


def test_a_user_is_added_with_a_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "f.toml"
    config.write_text(f"data_dir = {json.dumps(str(tmp_path / 'data'))}\n")
    words = ["web", "adduser", "ana", "--role", "lead", "--token", "--config", str(config), "--json"]
    assert main(words) == 0
    answer = json.loads(capsys.readouterr().out)
    text = Path(answer["users_file"]).read_text()
    assert answer["token"].startswith("fp_")
    assert answer["token"] not in text
    assert '"lead"' in text
    assert main([*words[:2], "Not A Name", *words[3:]]) == 2


def test_a_role_is_given_without_a_new_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "f.toml"
    config.write_text(f"data_dir = {json.dumps(str(tmp_path / 'data'))}\n")
    words = ["web", "adduser", "ana", "--config", str(config)]

    def typed(text: str, *more: str) -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return main([*words, *more])

    assert typed("", "--role", "lead") == 2, "a new one needs a password"
    assert typed("correct horse\n") == 0
    [before] = json.loads((tmp_path / "data/users.json").read_text())["users"]
    assert typed("", "--role", "lead") == 0
    [after] = json.loads((tmp_path / "data/users.json").read_text())["users"]
    assert after == before | {"roles": ["lead"]}
    assert typed("") == 2, "nothing was given"


def test_run_refuses_to_start_where_nobody_could_log_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "f.toml"
    config.write_text(f"data_dir = {json.dumps(str(tmp_path / 'data'))}\n")
    assert main(["run", "--config", str(config)]) == 2
    assert "adduser" in capsys.readouterr().err
