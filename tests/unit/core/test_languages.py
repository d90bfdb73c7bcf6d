import pytest

from bot.core.languages import DEFAULT_LANGUAGES, FORMATS, OTHER_LANGUAGES, Language, LanguageTable, TagKind, kind_of


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("python", "python"),
        ("py", "python"),
        ("python3", "python"),
        ("PY", "python"),
        ("bash", "bash"),
        ("sh", "sh"),
        ("shell", "sh"),
        ("js", "javascript"),
        ("Node", "javascript"),
    ],
)
def test_a_tag_or_alias_in_any_case_finds_its_language(tag: str, name: str) -> None:
    language = DEFAULT_LANGUAGES.find(tag)
    assert language is not None
    assert language.name == name


@pytest.mark.parametrize("tag", ["", "pyt", "python ", "c++", "\ud800", "\0"])
def test_any_other_tag_finds_none(tag: str) -> None:
    assert DEFAULT_LANGUAGES.find(tag) is None


@pytest.mark.parametrize(
    ("tag", "name"),
    [("pyhton", "python"), ("Pythn", "python"), ("bsh", "bash"), ("javascrpt", "javascript"), ("python" * 9, None)]
    + [(tag, None) for tag in ("cobol", "x", "", "pascal", "p" * 100_000)],
)
def test_a_slip_finds_the_nearest_language_and_a_stranger_none(tag: str, name: str | None) -> None:
    near = DEFAULT_LANGUAGES.nearest(tag)
    assert (near.name if near else None) == name


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("py", TagKind.RUNS),
        ("JSON", TagKind.FORMAT),
        ("console", TagKind.FORMAT),
        ("output", TagKind.FORMAT),
        ("c++", TagKind.ELSEWHERE),
        ("sql", TagKind.ELSEWHERE),
        ("javascript", TagKind.ELSEWHERE),
        ("pyhton", TagKind.UNKNOWN),
    ],
)
def test_what_a_tag_stands_for_where_only_python_and_bash_run(tag: str, kind: TagKind) -> None:
    assert kind_of(tag, DEFAULT_LANGUAGES.only(["bash", "python"])) is kind


def test_a_channel_keeps_the_order_of_the_table() -> None:
    assert DEFAULT_LANGUAGES.only(["sh", "python", "cobol"]).names == ("python", "sh")


def test_formats_and_languages_never_overlap_with_one_another_or_with_what_runs() -> None:
    ours = {tag for language in DEFAULT_LANGUAGES.languages for tag in language.tags}
    assert not FORMATS & OTHER_LANGUAGES
    assert not ours & (FORMATS | OTHER_LANGUAGES)


def test_a_table_is_read_from_configuration() -> None:
    table = LanguageTable.from_config(
        {
            "python": {"file": "main.py", "aliases": ["py"], "command": ["python3"]},
            "lua": {"file": "main.lua", "display": "LUA", "comment": "--"},
        }
    )
    assert table.languages == (
        Language("python", "Python", "main.py", ("py",)),
        Language("lua", "LUA", "main.lua", comment="--"),
    )


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "file"),
        ({"file": 3}, "file"),
        ({"file": "x.py", "aliases": "py"}, "aliases"),
        ({"file": "x.py", "alias": ["py"]}, "'alias'"),
        ({"file": "x.py", "aliases": ["P Y"]}, "'P Y'"),
        ({"file": "../x.py"}, "'../x.py'"),
        ({"file": "x.py", "display": " "}, "display"),
        ({"file": "x.py", "aliases": ["py", "py"]}, "'py'"),
    ],
)
def test_a_wrong_entry_is_refused_and_named(entry: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match="python") as error:
        LanguageTable.from_config({"python": entry})
    assert said in str(error.value)


def test_a_tag_with_two_meanings_is_refused() -> None:
    with pytest.raises(ValueError, match="'sh' means both bash and sh"):
        LanguageTable((Language("bash", "Bash", "a.sh", ("sh",)), Language("sh", "Shell", "b.sh")))
