"""A workspace on its way between a sandbox and an archive, in pieces that wait for each other.

The sandbox is not trusted: what comes out is bounded here as well, by what was asked for.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from executor.errors import SandboxLost
from executor.frames import WINDOW, Frame, Kind, encode, encode_bulk
from executor.link import Inbox, Link
from executor.messages import Kept, Lay, MessageError, Refused, Save, decode_kept, decode_refused, encode_message
from executor.tree import TreeError
from executor.types import MIB

_SILENCE_S: Final = 30.0
_NAMES_BYTES: Final = 128 * MIB
"""Heads, digests and the mark of as many entries as there may be."""

MOST_MARK_BYTES: Final = 48 * MIB
_GONE: Final = "The sandbox went away while its files were being saved or restored."


async def bring_out(link: Link, order: Save, mark: bytes, take: Callable[[bytes], Awaitable[None]]) -> Kept:
    """`take` gets the records, cut anywhere. SandboxLost, and what `take` raises."""
    run, inbox = link.open_run()
    room = order.limit_bytes + _NAMES_BYTES
    mark = mark if len(mark) <= MOST_MARK_BYTES and link.token not in mark else b""  # then everything comes out
    try:
        await _send(link, *encode_bulk(Kind.DATA, run, mark), encode(Kind.SAVE, run, encode_message(order)))
        while (frame := await _next(inbox)).kind is Kind.TREE:
            room -= len(frame.payload)
            if room < 0:
                raise TreeError("more came out than was asked for")
            await take(frame.payload)
            await _send(link, encode(Kind.MORE, run))
        return _kept(frame)
    except (TreeError, MessageError) as error:
        link.suspect = str(error)
        raise SandboxLost(_GONE) from error
    except BaseException:
        await _cancel(link, run)
        raise
    finally:
        link.close_run(run)


async def lay_out(link: Link, order: Lay, pieces: AsyncIterator[bytes]) -> Kept:
    """SandboxLost, and what `pieces` raises."""
    run, inbox = link.open_run()
    try:
        await _send(link, encode(Kind.LAY, run, encode_message(order)))
        open_ = 0
        if order.entries:
            async for piece in pieces:
                await _send(link, encode(Kind.DATA, run, piece))
                open_ += 1
                while open_ >= WINDOW:
                    frame = await _next(inbox)
                    if frame.kind is not Kind.MORE:
                        return _kept(frame)
                    open_ -= 1
            await _send(link, encode(Kind.DATA, run))
        while (frame := await _next(inbox)).kind is Kind.MORE:
            pass
        return _kept(frame)
    except MessageError as error:
        link.suspect = str(error)
        raise SandboxLost(_GONE) from error
    except BaseException:
        await _cancel(link, run)
        raise
    finally:
        link.close_run(run)


def _kept(frame: Frame) -> Kept:
    match frame.kind:
        case Kind.KEPT:
            return decode_kept(frame.payload)
        case Kind.REFUSED:
            refused: Refused = decode_refused(frame.payload)
            return Kept(error=refused.text, complete=False)
        case _:
            raise MessageError(f"{frame.kind.name} came for a workspace")


async def _next(inbox: Inbox) -> Frame:
    try:
        async with asyncio.timeout(_SILENCE_S):
            frame = await inbox.get()
    except TimeoutError as error:
        raise SandboxLost(_GONE) from error
    if frame is None:
        raise SandboxLost(_GONE)
    return frame


async def _send(link: Link, *frames: bytes) -> None:
    if link.lost:  # even where it can still be written to: nobody would read the answer
        raise SandboxLost(_GONE)
    try:
        async with asyncio.timeout(_SILENCE_S):
            await link.send(frames)
    except OSError as error:  # also TimeoutError and ConnectionError
        raise SandboxLost(_GONE) from error


async def _cancel(link: Link, run: int) -> None:
    if not link.lost:
        try:
            async with asyncio.timeout(1):
                await link.send([encode(Kind.CANCEL, run)])
        except OSError:
            return
