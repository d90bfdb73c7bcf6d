"""What the documentation shows is tried, as far as it can be without running the bot."""

import re
from pathlib import Path

import pytest

from bot.cli.arguments import COMMANDS
from bot.core.commands import HELP
from bot.core.config import ChannelLimits
from bot.core.events import Verb
from bot.core.policy.decide import Context, decide
from bot.core.policy.load import parse_policy
from bot.core.snapshot import CodeBlock, Snapshot
from bot.settings import HOME

PAGES = sorted([*HOME.glob("*.md"), *HOME.glob("docs/**/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_policy_that_is_shown_means_what_is_said_about_it() -> None:
    [text] = re.findall(r"```toml\n(.*?)```", (HOME / "docs/policy.md").read_text("utf-8"), re.DOTALL)
    policy = parse_policy(text, "docs/policy.md")

    def effect(language: str, timeout_s: float | None = None) -> str:
        snapshot = Snapshot(blocks=(CodeBlock(language=language, code="1\n"),), timeout_s=timeout_s)
        return decide(snapshot, policy, Context(0.0, "web:local/x", ChannelLimits())).effect.value

    assert effect("python") == "allow"
    assert effect("python", 60.0) == "allow"
    assert effect("python", 61.0) == "ask"
    assert effect("bash") == "ask"
    assert effect("javascript") == "deny"


def test_every_command_is_documented() -> None:
    text = (HOME / "docs/cli.md").read_text("utf-8")
    for command in COMMANDS:
        assert re.search(rf"\b(fencepost )?{command}\b", text), command


def test_every_button_and_chat_command_is_documented() -> None:
    api = (HOME / "docs/web-api.md").read_text("utf-8")
    for verb in Verb:
        assert verb.value in api
    guide = (HOME / "docs/user-guide.md").read_text("utf-8")
    for command in re.findall(r"/fencepost (\w+)", HELP):
        assert command in guide, command
