"""Names, uid bases, languages, artifacts and the attach stream: the pieces of a few lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor import naming
from executor.artifacts import Incoming, merged
from executor.attach import Demultiplexer, engine_address
from executor.errors import EngineUnavailable, InvalidExecution, SandboxUnavailable
from executor.frames import Frame, Kind
from executor.languages import DEFAULT_LANGUAGES, Language, language
from executor.messages import ArtifactHead, MessageError, encode_message
from executor.types import Artifact, Limits
from executor.uids import SPAN, free_base


def test_a_container_is_named_for_its_channel() -> None:
    name = naming.container_name("main", "slack:T1/C042 – Über!")
    assert name.startswith("fencepost-main-slack-t1-c042-ber-")
    assert name == naming.container_name("main", "slack:T1/C042 – Über!")
    assert name != naming.container_name("main", "slack:T1/C042 - Über!")
    assert naming.container_name("main", "…").startswith("fencepost-main-x-")


@given(st.text(), st.text())
def test_names_are_legal_and_differ_between_channels(one: str, other: str) -> None:
    one, other = (text.encode(errors="replace").decode() for text in (one, other))
    name = naming.container_name("main", one)
    assert name.isascii()
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert len(name) <= 80
    assert (name == naming.container_name("main", other)) == (one == other)


@pytest.mark.parametrize("instance", ["", "-a", "a-", "A", "a_b", "a" * 33, "a/b"])
def test_an_instance_that_cannot_be_named_is_refused(instance: str) -> None:
    with pytest.raises(ValueError, match="instance"):
        naming.checked_instance(instance)


def test_a_taken_base_is_never_chosen() -> None:
    choices = iter([0, 0, 1])
    assert free_base({100_000}, choose=lambda _: next(choices)) == 100_000 + SPAN
    assert free_base({0, 256}, first=0, count=3, choose=lambda n: 0) == 512
    with pytest.raises(SandboxUnavailable):
        free_base({0, 256}, first=0, count=2)


@pytest.mark.parametrize("name", ["python", "bash", "sh", "javascript"])
def test_default_languages_are_complete(name: str) -> None:
    assert language(DEFAULT_LANGUAGES, name).command[-1] == "{file}"


def test_an_unknown_language_is_refused_by_name() -> None:
    with pytest.raises(InvalidExecution, match="cobol"):
        language(DEFAULT_LANGUAGES, "cobol")
    with pytest.raises(ValueError, match="file"):
        Language(("cobc",), "main.cob")


def head(path: str, size: int) -> Frame:
    return Frame(Kind.ARTIFACT, 1, encode_message(ArtifactHead(path, size)))


def data(content: bytes) -> Frame:
    return Frame(Kind.DATA, 1, content)


def test_files_are_put_together() -> None:
    incoming = Incoming(Limits())
    for frame in (head("a", 3), data(b"x"), data(b"yz"), head("empty", 0), head("../b", 1), data(b"!")):
        incoming.take(frame)
    assert incoming.files == [Artifact("a", b"xyz"), Artifact("empty", b"")]
    assert incoming.left == 1


@pytest.mark.parametrize(
    "frames",
    [
        (data(b"x"),),
        (head("a", 1), head("b", 1)),
        (head("a", 1), data(b"xy")),
        (head("a", -1),),
        (head("a", 11),),
        (head("a", 0), head("b", 0), head("c", 0)),
        (head("a", 10), data(b"x" * 10), head("b", 6)),
    ],
)
def test_files_beyond_what_was_asked_for_break_the_protocol(frames: tuple[Frame, ...]) -> None:
    incoming = Incoming(Limits(artifact_bytes=10, artifact_count=2, artifact_total_bytes=15))

    def take_all() -> None:
        for frame in frames:
            incoming.take(frame)

    with pytest.raises(MessageError):
        take_all()


def test_limits_hold_over_all_blocks() -> None:
    limits = Limits(artifact_count=2, artifact_total_bytes=5)
    one, two = (Artifact("a", b"x"), Artifact("b", b"xx")), (Artifact("a", b"xxxx"), Artifact("c", b"x"))
    assert merged([one, two], limits) == ((Artifact("a", b"xxxx"), Artifact("c", b"x")), 1)


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=20))), st.integers(1, 7))
def test_the_attach_stream_is_taken_apart_however_it_is_cut(pieces: list[tuple[int, bytes]], size: int) -> None:
    stream = b"".join(bytes([kind, 0, 0, 0]) + len(data).to_bytes(4, "big") + data for kind, data in pieces)
    frames = Demultiplexer()
    got = [frames.feed(stream[at : at + size]) for at in range(0, len(stream), size)]
    assert b"".join(out for out, _ in got) == b"".join(data for kind, data in pieces if kind == 1)
    assert b"".join(err for _, err in got) == b"".join(data for kind, data in pieces if kind == 2)


def test_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    assert engine_address(None).path == "/var/run/docker.sock"
    monkeypatch.setenv("DOCKER_HOST", "unix:///run/x.sock")
    assert engine_address(None).path == "/run/x.sock"
    address = engine_address("tcp://10.0.0.1:2376")
    assert (address.path, address.host, address.port) == (None, "10.0.0.1", 2376)
    assert engine_address("tcp://engine").port == 2375
    with pytest.raises(EngineUnavailable, match="ssh"):
        engine_address("ssh://engine")
