import pytest

from adapters.console.inbound import (
    ActAs,
    Commanded,
    Deleted,
    Form,
    Meant,
    Pressed,
    Quit,
    Reader,
    Said,
    Unclear,
    Waited,
    form,
    without_mention,
)


def read(*lines: str) -> list[Meant]:
    reader = Reader()
    meant = [m for line in lines if (m := reader.feed(line)) is not None]
    rest = reader.end()
    return [*meant, rest] if rest is not None else meant


@pytest.mark.parametrize(
    ("lines", "meant"),
    [
        (["hello"], [Said("hello")]),
        (["", "  "], []),
        (["```python", "print(1)", "```"], [Said("```python\nprint(1)\n```")]),
        (["```python", "", "/quit", "", "```", "next"], [Said("```python\n\n/quit\n\n```"), Said("next")]),
        (["~~~py", "```", "~~~"], [Said("~~~py\n```\n~~~")]),
        (["````", "```", "````"], [Said("````\n```\n````")]),
        (["```py", "x ```", "```"], [Said("```py\nx ```\n```")]),
        (["```py", "``` x", "```"], [Said("```py\n``` x\n```")]),
        (["```py", "open at the end"], [Said("```py\nopen at the end")]),
        (["```a`b", "x"], [Said("```a`b"), Said("x")]),
        (["/message", "a", "", "/as bo", "/end", "b"], [Said("a\n\n/as bo"), Said("b")]),
        (["/edit", "```py", "2", "```", "x"], [Said("```py\n2\n```", edits=True), Said("x")]),
        (["/edit ```py", "2", "```"], [Said("```py\n2\n```", edits=True)]),
        (["/edit new"], [Said("new", edits=True)]),
        (["/as lee"], [ActAs("lee")]),
        (["/press 2"], [Pressed("2")]),
        (["/press Deny… use staging"], [Pressed("deny", None, "use staging")]),
        (["/press #12 approve  confirm"], [Pressed("approve", "12", "confirm")]),
        (["/fencepost explain r1"], [Commanded("explain r1")]),
        (["/fencepost"], [Commanded("")]),
        (["/delete"], [Deleted()]),
        (["/delete #3"], [Deleted("3")]),
        (["/quit"], [Quit()]),
        (["/wait"], [Waited()]),
    ],
)
def test_lines_mean(lines: list[str], meant: list[Meant]) -> None:
    assert read(*lines) == meant


@pytest.mark.parametrize("line", ["/as", "/press", "/press #3", "/nonsense", "/help"])
def test_what_is_unclear_is_said_and_nothing_done(line: str) -> None:
    (meant,) = read(line)
    assert isinstance(meant, Unclear)


def test_a_reader_says_whether_a_message_goes_on() -> None:
    reader = Reader()
    states = []
    for line in ("```", "x", "```", "/message", "/end"):
        reader.feed(line)
        states.append(reader.is_open)
    assert states == [True, True, False, True, False]


@pytest.mark.parametrize(
    ("button", "rest", "expected"),
    [
        ("approve", "", Form()),
        ("approve", "confirm", Form(confirm=True)),
        ("approve", "confirm it is fine", Form(confirm=True, reason="it is fine")),
        ("approve", "confirmed by mail", Form(reason="confirmed by mail")),
        ("deny", "use the staging host", Form(reason="use the staging host")),
        ("remember", "1", Form(choice="exact")),
        ("remember", "shape", Form(choice="shape")),
        ("remember", "2 because", Form(choice="shape", reason="because")),
        ("remember", "3", Form(reason="3")),
        ("run_input", "a\\nb", Form(stdin="a\nb")),
        ("run_input", 'args="--fast x" 3 4', Form(args="--fast x", stdin="3 4")),
        ("run_input", "args=one", Form(args="one")),
        ("run_input", "args='' x", Form(args="", stdin="x")),
    ],
)
def test_words_behind_a_button(button: str, rest: str, expected: Form) -> None:
    assert form(button, rest, ("exact", "shape")) == expected


@pytest.mark.parametrize(
    ("text", "rest", "addressed"),
    [
        ("@fencepost how many", "how many", True),
        ("@Fencepost: hi", "hi", True),
        ("@fencepost\n```py\n1\n```", "\n```py\n1\n```", True),
        ("@fenceposts hi", "@fenceposts hi", False),
        ("hi @fencepost", "hi @fencepost", False),
    ],
)
def test_a_mention_in_front_addresses_the_bot(text: str, rest: str, addressed: bool) -> None:
    assert without_mention(text) == (rest, addressed)
