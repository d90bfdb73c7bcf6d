import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.arrival import clean, discord_text, slack_rich_text, slack_text

CODE = "```python\n{}\n```"


@pytest.mark.parametrize(
    ("arrived", "written"),
    [
        pytest.param("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d", id="the three entities"),
        pytest.param("&amp;lt;", "&lt;", id="only once"),
        pytest.param("&amp;amp;lt;", "&amp;lt;", id="only once, twice escaped"),
        pytest.param("&quot; &#39; &nbsp;", "&quot; &#39; &nbsp;", id="no other entity"),
        pytest.param(CODE.format("get('<http://x.de>')"), CODE.format("get('http://x.de')"), id="bare link in code"),
        pytest.param(CODE.format("'<http://x.de|x.de>'"), CODE.format("'x.de'"), id="address without scheme in code"),
        pytest.param(CODE.format("<mailto:a@b.de|a@b.de>"), CODE.format("a@b.de"), id="mail address in code"),
        pytest.param(CODE.format("<mailto:a@b.de>"), CODE.format("a@b.de"), id="mail address without label"),
        pytest.param(
            CODE.format("<http://x.de/?a=1&amp;b=2>"), CODE.format("http://x.de/?a=1&b=2"), id="entity in a link"
        ),
        pytest.param(CODE.format("<http://x.de|y>"), CODE.format("y"), id="any label in code"),
        pytest.param(CODE.format("&lt;http://x.de|y&gt;"), CODE.format("<http://x.de|y>"), id="typed, not a link"),
        pytest.param("see <http://x.de> and <http://y.de|y.de>", "see http://x.de and y.de", id="auto-links in prose"),
        pytest.param("see <http://x.de|here>", "see <http://x.de|here>", id="a link made by hand in prose"),
        pytest.param("<@U123> <#C1|general> <!here>", "<@U123> <#C1|general> <!here>", id="mentions stay"),
        pytest.param("```\n\u00a0\u00a0 \tx\u00a0= 1\n```", "```\n   \tx\u00a0= 1\n```", id="NBSP in indentation only"),
        pytest.param("x = '\u200b\u2068\ufeff’'", "x = '\u200b\u2068\ufeff’'", id="what a person may have typed"),
    ],
)
def test_slack(arrived: str, written: str) -> None:
    assert slack_text(arrived) == written
    assert clean(arrived, "slack") == written


def test_slack_rich_text_is_literal() -> None:
    assert slack_rich_text("\u00a0x = '&lt;' + '<http://x|x>'") == " x = '&lt;' + '<http://x|x>'"


@pytest.mark.parametrize(
    ("arrived", "written"),
    [
        pytest.param("\u2068```py\nx = 1\n```\u2069", "```py\nx = 1\n```", id="around the block"),
        pytest.param("```py\n\u2068x = 1\u2069\n```", "```py\nx = 1\n```", id="around a line"),
        pytest.param("```py\n\u2068  x = 1\u2069\n```", "```py\n  x = 1\n```", id="before the indentation"),
        pytest.param("\u200e\u2066```py\r\nx\u2069\u200f\r\n```", "```py\r\nx\r\n```", id="CRLF and several marks"),
        pytest.param("hey \u2068```py\u2069\nx\n```\u2069 ok", "hey ```py\nx\n``` ok", id="beside the ticks"),
        pytest.param("x = 'a\u2067b\u2069c'", "x = 'a\u2067b\u2069c'", id="inside a line they stay"),
        pytest.param("x = 1 \u2069# y", "x = 1 \u2069# y", id="in front of a comment they stay"),
        pytest.param("\u202ex\u202c\n\u200by\u200b", "\u202ex\u202c\n\u200by\u200b", id="no other invisible character"),
        pytest.param("\u2068", "", id="nothing else"),
    ],
)
def test_discord(arrived: str, written: str) -> None:
    assert discord_text(arrived) == written
    assert clean(arrived, "discord") == written


@settings(deadline=None)
@given(st.text(alphabet="`\u2068\u2069\u00a0&lt;amp<>|http:// \r\nx"), st.sampled_from(["web", "console", "other"]))
def test_platforms_without_a_client_of_their_own_change_nothing(text: str, platform: str) -> None:
    assert clean(text, platform) == text


@settings(deadline=None)
@given(st.text(alphabet="`&<>;|ltgamp: /\u00a0\nx"))
def test_what_slack_escapes_comes_back(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert slack_text(escaped) == slack_rich_text(text)
