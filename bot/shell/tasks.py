"""A group that owns tasks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def task_group() -> AsyncIterator[asyncio.TaskGroup]:
    """An `asyncio.TaskGroup` from which a single failure comes out as itself, not as a group of one, so that whoever
    waits for it can tell what it was.
    """
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as failures:
        if len(failures.exceptions) > 1:
            raise
        [failure] = failures.exceptions
        raise failure from failure.__cause__
