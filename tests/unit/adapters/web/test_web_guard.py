"""The small pure pieces around a request: names, hosts, limits, passwords, users."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.web.guard import host_of
from adapters.web.passwords import Cost, hash_password, hash_token, verify_password
from adapters.web.people import People
from adapters.web.reading import NAME_CHARS, clean_media_type, clean_name
from adapters.web.settings import WebChannel, WebSettings
from adapters.web.throttle import MOST_KEYS, PER_ADDRESS, PER_NAME, PER_PAIR, Throttle
from adapters.web.users_file import UsersFileError, add_user, read_users

CHEAP = Cost(4, 8, 1)


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost", "localhost"),
        ("LocalHost:80", "localhost"),
        ("[::1]:80", "::1"),
        ("[::1]", "::1"),
        ("1.2.3.4:5", "1.2.3.4"),
        ("", ""),
        (":80", ""),
    ],
)
def test_the_host_of_a_header(header: str, host: str) -> None:
    assert host_of(header) == host


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("a.txt", "a.txt"),
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\a.txt", "a.txt"),
        ("..", "file"),
        (".", "file"),
        ("", "file"),
        ("a/", "file"),
        ("a\r\nSet-Cookie: x", "aSet-Cookie: x"),
        ("\u202egnp.exe", "gnp.exe"),
        ("x" * 300, "x" * NAME_CHARS),
    ],
)
def test_a_file_name_is_a_name(name: str, clean: str) -> None:
    assert clean_name(name) == clean


@given(st.text())
def test_any_file_name_becomes_one_that_is_safe(name: str) -> None:
    clean = clean_name(name)

    assert 0 < len(clean) <= NAME_CHARS
    assert "/" not in clean
    assert clean.isprintable()
    assert clean not in {".", ".."}


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ("Image/PNG", "image/png"),
        ("application/vnd.x+json", "application/vnd.x+json"),
        ("text/html\r\nX: y", "application/octet-stream"),
        ("", "application/octet-stream"),
        ("png", "application/octet-stream"),
    ],
)
def test_a_media_type_is_one(value: str, clean: str) -> None:
    assert clean_media_type(value) == clean


@given(st.text(max_size=20), st.text(max_size=20))
@example("", "\0")
@example("secret", "secret\0")
def test_a_password_is_the_one_that_was_kept(password: str, other: str) -> None:
    kept = hash_password(password, CHEAP)

    assert verify_password(password, kept)
    assert verify_password(other, kept) == (other == password)


@pytest.mark.parametrize("kept", ["", "x", "scrypt$a$b$c$d$e", "bcrypt$4$8$1$AAAA$AAAA", "scrypt$40$8$1$AAAA$AAAA"])
def test_what_was_never_kept_is_nobody_s_password(kept: str) -> None:
    assert not verify_password("", kept)


def test_the_throttle_counts_before_and_gives_back() -> None:
    throttle = Throttle()
    assert [throttle.take("ana", "a", 0.0) for _ in range(PER_PAIR.times)] == [0.0] * PER_PAIR.times
    assert throttle.take("ana", "a", 1.0) == PER_PAIR.within_s - 1
    assert throttle.take("ana", "b", 1.0) == 0.0
    throttle.give_back("ana", "a")
    assert throttle.take("ana", "a", 1.0) == 0.0
    assert throttle.take("ana", "a", PER_PAIR.within_s) == 0.0


def test_the_throttle_counts_an_address_and_a_name_alone() -> None:
    throttle = Throttle()
    assert [throttle.take(str(n), "a", 0.0) for n in range(PER_ADDRESS.times)] == [0.0] * PER_ADDRESS.times
    assert throttle.take("another", "a", 0.0) == PER_ADDRESS.within_s
    assert [throttle.take("ana", f"x{n}", 0.0) for n in range(PER_NAME.times)] == [0.0] * PER_NAME.times
    assert throttle.take("ana", "y", 0.0) == PER_NAME.within_s


def test_the_throttle_is_bounded() -> None:
    throttle = Throttle()
    for number in range(MOST_KEYS):
        throttle.take(str(number), str(number), 0.0)
    assert len(throttle._tries) <= MOST_KEYS


def test_users_are_added_changed_and_kept_to_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    assert add_user(path, "ana", password="long enough", cost=CHEAP) is None
    token = add_user(path, "ana", with_token=True)
    add_user(path, "lee", roles=["lead"], channels=["general"], name="Lee")

    ana, lee = read_users(path)
    assert (ana.id, ana.roles, ana.channels) == ("ana", ("member",), None)
    assert verify_password("long enough", ana.password)
    assert token is not None
    assert ana.tokens == (hash_token(token),)
    assert (lee.roles, lee.channels, lee.name) == (("lead",), ("general",), "Lee")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["users.json"]
    found = People.from_file(path).by_token(token)
    assert found is not None
    assert found.id == "ana"


@pytest.mark.parametrize("name", ["", "Ana", "a b", "a:b", "a/b", "fencepost", "here", "x" * 41, "é"])
def test_a_name_that_would_mislead_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsersFileError):
        add_user(tmp_path / "users.json", name)
    assert not (tmp_path / "users.json").exists()


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"users": [{"id": "ana", "role": "lead"}]}',
        '{"users": [{"id": "ana", "roles": ["boss"]}]}',
        '{"users": [{"id": "ana", "roles": []}]}',
        '{"users": [{"id": "ana"}, {"id": "ana"}]}',
        '{"users": [{"id": "ana", "tokens": ["plain"]}]}',
        '{"users": [{"id": "ana", "name": "a\\nb"}]}',
    ],
)
def test_a_users_file_that_is_wrong_is_refused_whole(tmp_path: Path, content: str) -> None:
    path = tmp_path / "users.json"
    path.write_text(content)
    people = People.from_file(path)

    with pytest.raises(UsersFileError, match=r"users\.json"):
        people.everyone()
    with pytest.raises(UsersFileError):
        add_user(path, "bo")
    assert path.read_text() == content
    assert people.look_up("web:ana", "general").standing is None


def test_the_users_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    people = People.from_file(path)
    assert people.everyone() == ()
    path.write_text(json.dumps({"users": [{"id": "ana"}]}))
    assert [user.id for user in people.everyone()] == ["ana"]
    path.unlink()
    assert people.everyone() == ()


def test_settings_that_would_open_the_demo_to_others_are_refused(tmp_path: Path) -> None:
    for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9"):
        WebSettings(tmp_path, host=host, demo=True)
    for host in ("0.0.0.0", "::", "", "192.168.1.1", "example.org"):
        with pytest.raises(ValueError, match="reachable by others"):
            WebSettings(tmp_path, host=host, demo=True)
        WebSettings(tmp_path, host=host, demo=True, demo_for_everyone=True)
        WebSettings(tmp_path, host=host)


def test_channels_are_checked(tmp_path: Path) -> None:
    for bad in ("", "A", "a b", "a/b", "a:b", "-a"):
        with pytest.raises(ValueError, match="id"):
            WebChannel(bad)
    with pytest.raises(ValueError, match="same id"):
        WebSettings(tmp_path, channels=(WebChannel("a"), WebChannel("a")))
    with pytest.raises(ValueError, match="no channel"):
        WebSettings(tmp_path, channels=())


def test_the_demo_has_its_six() -> None:
    people = People.demo()

    assert {user.id: (set(user.actor().standing or ()), user.actor().admin) for user in people.everyone()} == {
        "ana": ({"web_roles:member"}, False),
        "bo": ({"web_roles:member"}, False),
        "lee": ({"web_roles:lead"}, False),
        "kim": ({"web_roles:lead"}, False),
        "root": ({"web_roles:admin"}, True),
        "rita": ({"web_roles:admin"}, True),
    }
