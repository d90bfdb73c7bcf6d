"""The workspace of a supervisor in memory: files by path, each with its owner's key."""

import json

from executor.messages import UNKNOWN, Kept, Lay, Save
from executor.tree import (
    HEAD,
    PIECE,
    Entry,
    Record,
    RecordReader,
    decode_content,
    decode_entry,
    encode_close,
    encode_content,
    encode_entry,
    encode_gone,
    encode_mark,
    new_digest,
)


class FakeWorkspace:
    """`left` makes a LAY or SAVE say that so many files stayed behind, `error` that it could not be done."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[str, bytes]] = {}
        self.generations: tuple[str, ...] = ()
        self.left = 0
        self.error = ""
        self._laying: tuple[int, Lay] | None = None
        self._reader = RecordReader()
        self._path = ""

    def used(self) -> None:
        self.generations = self.generations or (UNKNOWN,)

    def bring_out(self, order: Save, mark: bytes) -> tuple[bytes, Kept]:
        if self.error:
            return b"", Kept(error=self.error, complete=False)
        self.generations = (order.base, order.next)
        before = _known(mark)
        now: dict[str, str] = {}
        records = b""
        changed = 0
        for path, (owner, data) in self.files.items():
            entry, now[path] = _records(path, owner, data)
            if before.get(path) != now[path]:
                records += entry
                changed += 1
        gone = [path for path in before if path not in now]
        records += b"".join(map(encode_gone, gone))
        if records:
            records += b"".join(encode_mark(json.dumps(now).encode()))
        return records, Kept(changed, len(gone), self._left())

    def lay_out(self, run: int, order: Lay) -> Kept | None:
        """None: what is to be laid out comes to `feed`."""
        if self.error or self.generations:
            return Kept(error=self.error or "the workspace is in use", complete=False)
        if not order.entries:
            self.generations = (order.generation,)
            return Kept()
        self.generations = (UNKNOWN,)
        self._laying = (run, order)
        return None

    def feed(self, run: int, payload: bytes) -> Kept | bool:
        """Whether it was a piece for this workspace, or how it ended."""
        if self._laying is None or self._laying[0] != run:
            return False
        for kind, record in self._reader.feed(payload):
            if kind is Record.ENTRY:
                head = decode_entry(record)
                self._path = head.path
                self.files[head.path] = (head.owner, b"")
            elif kind is Record.CONTENT:
                owner, data = self.files[self._path]
                self.files[self._path] = (owner, data + decode_content(record)[1])
        if payload:
            return True
        self.generations = (self._laying[1].generation,)
        self._laying = None
        return Kept(len(self.files), left=self._left())

    def _left(self) -> dict[str, int]:
        return {"unreadable": self.left} if self.left else {}


def _known(mark: bytes) -> dict[str, str]:
    """Digests by path. A mark of another kind of sandbox is one of nothing."""
    try:
        known: dict[str, str] = json.loads(mark) if mark else {}
    except ValueError:
        return {}
    return known


def _records(path: str, owner: str, data: bytes) -> tuple[bytes, str]:
    head = encode_entry(Entry(path, "file", 0o664, owner, 0, len(data)))
    content = [encode_content(at, data[at : at + PIECE]) for at in range(0, len(data), PIECE)]
    digest = new_digest(head[HEAD.size :])
    for record in content:
        digest.update(record[HEAD.size :])
    return b"".join([head, *content, encode_close(digest.digest())]), digest.hexdigest()
