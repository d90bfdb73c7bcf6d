import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.buttons import ButtonValue, button_value, parse_button_value
from bot.core.events import Verb


@given(
    st.text("abcdefXYZ0123456789-_.", min_size=1, max_size=64),
    st.sampled_from(Verb),
    st.text("0123456789abcdef", min_size=8, max_size=8),
)
def test_a_value_is_read_back_and_fits_discord(request_id: str, verb: Verb, binding: str) -> None:
    value = button_value(request_id, verb, binding)

    assert parse_button_value(value) == ButtonValue(request_id, verb, binding)
    assert len(value) <= 100


@pytest.mark.parametrize(
    ("request_id", "binding"),
    [("", "0123abcd"), ("a:b", "0123abcd"), ("a b", "0123abcd"), ("r1", "0123abc"), ("r1", "0123ABCD"), ("r1", "")],
)
def test_a_value_that_could_not_be_read_back_is_not_made(request_id: str, binding: str) -> None:
    with pytest.raises(ValueError, match="click"):
        button_value(request_id, Verb.APPROVE, binding)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "v1",
        "v1:r1:approve",
        "v2:r1:approve:0123abcd",
        "v1:r1:explode:0123abcd",
        "v1:r1:approve:0123abcd:x",
        "v1:r1:approve:0123abcd\n",
        " v1:r1:approve:0123abcd",
        "v1::approve:0123abcd",
        "v1:r1:approve:0123abcg",
    ],
)
def test_everything_else_is_nothing(text: str) -> None:
    assert parse_button_value(text) is None


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    parse_button_value(text)
