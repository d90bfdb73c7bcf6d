"""The engine port on Docker: docker-py for requests with an answer, a stream of our own for the attachment.

docker-py blocks, so its calls run in a few threads of this engine's own (never asyncio's shared pool, which a hung
engine would fill), each under two time-outs: one in the thread, so that it ends, and one here, so that the caller goes
on. The client is made at the first call that reaches the engine, since making it already asks for the version.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import requests
import urllib3
from docker.api import APIClient
from docker.errors import APIError, DockerException, ImageNotFound, NotFound

from executor import attach
from executor.engine import Container, NameTaken, Wire
from executor.errors import EngineUnavailable, ImageMissing, SandboxUnavailable
from executor.hardening import CreateOptions

T = TypeVar("T")

_CONFLICT = 409
_UNAVAILABLE = "Docker does not answer on this machine."
_REFUSED = "Docker could not provide a sandbox."


class DockerEngine:
    """See `executor.engine.Engine`. `address` as in `attach.engine_address`; `threads` calls at most at once."""

    def __init__(self, address: str | None = None, *, threads: int = 8, timeout_s: float = 30.0) -> None:
        self.address = attach.engine_address(address)
        self._timeout_s = timeout_s
        self._threads = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="fencepost-docker")
        self._connections = threads
        self._lock = threading.Lock()
        self._client: APIClient | None = None

    async def create(self, name: str, options: CreateOptions) -> str:
        image = str(options["Image"])
        try:
            made = await self._call(lambda api: api.create_container_from_config(options, name))
        except NotFound as error:
            raise _missing(image) from error
        except APIError as error:
            if error.status_code == _CONFLICT:
                raise NameTaken(f"A container named {name} exists.") from error
            raise SandboxUnavailable(_REFUSED) from error
        return str(made["Id"])

    async def start(self, container: str) -> None:
        await self._ask(lambda api: api.start(container))

    async def attach(self, container: str) -> Wire:
        return await attach.attach(self.address, container, self._timeout_s)

    async def rename(self, container: str, name: str) -> None:
        try:
            await self._call(lambda api: api.rename(container, name))
        except APIError as error:
            if error.status_code == _CONFLICT:
                raise NameTaken(f"A container named {name} exists.") from error
            raise SandboxUnavailable(_REFUSED) from error

    async def inspect(self, container: str) -> Container | None:
        rows = await self._ask(lambda api: api.containers(all=True, filters={"id": [container]}))
        return _container(rows[0]) if rows else None

    async def containers(self, label: str) -> tuple[Container, ...]:
        rows = await self._ask(lambda api: api.containers(all=True, filters={"label": [label]}))
        return tuple(_container(row) for row in rows)

    async def memory(self, container: str) -> int | None:
        """`one_shot` spares the second reading, for rates; an older engine still takes a second for the first."""
        try:
            stats = await self._call(lambda api: api.stats(container, stream=False, one_shot=True))
        except NotFound:
            return None
        except APIError as error:
            raise SandboxUnavailable(_REFUSED) from error
        return _in_use(stats.get("memory_stats") or {})

    async def resize(self, container: str, memory_bytes: int) -> None:
        await self._ask(lambda api: api.update_container(container, mem_limit=memory_bytes, memswap_limit=memory_bytes))

    async def remove(self, container: str) -> None:
        try:
            await self._call(lambda api: api.remove_container(container, v=True, force=True))
        except NotFound:
            return
        except APIError as error:
            if error.status_code != _CONFLICT:  # a removal that is already under way is as good
                raise SandboxUnavailable(_REFUSED) from error

    async def volumes(self, label: str) -> tuple[str, ...]:
        answer = await self._ask(lambda api: api.volumes(filters={"label": [label]}))
        return tuple(str(row["Name"]) for row in answer["Volumes"] or ())

    async def remove_volume(self, name: str) -> None:
        try:
            await self._call(lambda api: api.remove_volume(name))
        except NotFound:
            return
        except APIError as error:
            if error.status_code != _CONFLICT:
                raise SandboxUnavailable(_REFUSED) from error

    async def image_id(self, image: str) -> str:
        try:
            return str((await self._call(lambda api: api.inspect_image(image)))["Id"])
        except ImageNotFound as error:
            raise _missing(image) from error
        except APIError as error:
            raise SandboxUnavailable(_REFUSED) from error

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._client is not None:
            self._client.close()

    async def _ask(self, call: Callable[[APIClient], T]) -> T:
        try:
            return await self._call(call)
        except APIError as error:
            raise SandboxUnavailable(_REFUSED) from error

    async def _call(self, call: Callable[[APIClient], T]) -> T:
        """`call` in a thread. Failures to get any answer become EngineUnavailable; APIError is left to the caller."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.get_running_loop().run_in_executor(self._threads, self._in_thread, call)
        except APIError:
            raise
        except (DockerException, requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise EngineUnavailable(_UNAVAILABLE) from error

    def _in_thread(self, call: Callable[[APIClient], T]) -> T:
        if self.address.path is not None:
            _knock(self.address.path, self._timeout_s)
        with self._lock:
            client = self._client
            if client is None:
                client = self._client = APIClient(
                    base_url=self.address.text, version="auto", timeout=self._timeout_s, max_pool_size=self._connections
                )
        return call(client)


def _knock(path: str, timeout_s: float) -> None:
    """OSError where nobody listens: docker-py would leave a socket open for each time it finds that out itself."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(timeout_s)
        probe.connect(path)


def _container(row: Mapping[str, Any]) -> Container:
    return Container(
        id=str(row["Id"]),
        name=str((row.get("Names") or [""])[0]).lstrip("/"),
        state=str(row["State"]),
        created_at=float(row["Created"]),
        labels={str(key): str(value) for key, value in (row.get("Labels") or {}).items()},
    )


def _in_use(stats: Mapping[str, Any]) -> int | None:
    """As `docker stats` counts it: pages of files that are not in use do not count. Nothing once it has stopped."""
    usage = stats.get("usage")
    if not isinstance(usage, int):
        return None
    detail = stats.get("stats") or {}
    idle = detail.get("total_inactive_file", detail.get("inactive_file", 0))  # cgroup v1, v2
    return max(0, usage - int(idle))


def _missing(image: str) -> ImageMissing:
    return ImageMissing(f"The sandbox image {image} is not on this machine; an operator has to build it.")
