"""The embedded board over real HTTP: an ASGI application, and a server in a thread of its own on loopback."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from starlette.requests import Request as Incoming

from forum_gm.demo.board.http import Request, Response, Sent
from forum_gm.demo.board.site import Site
from forum_gm.demo.board.world import World

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
START_SECONDS = 20.0


class BoardApp:
    """ASGI application around a `Site`."""

    def __init__(self, site: Site) -> None:
        self.site = site

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answers one request; breaks the connection where a fault says so."""
        if scope["type"] != "http":
            return
        request = await _read(Incoming(scope, receive), self.site.world.settings.encoding)
        response = await asyncio.to_thread(self.site.handle, request)
        if response.hang:
            await asyncio.sleep(response.hang)
            response = Response(cut=True)
        await _write(response, send)


async def _read(incoming: Incoming, encoding: str) -> Request:
    fields: list[tuple[str, str]] = []
    files: dict[str, Sent] = {}
    kind = incoming.headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        async with incoming.form(max_fields=2000) as form:
            for name, value in form.multi_items():
                if isinstance(value, str):
                    fields.append((name, value))
                else:
                    files[name] = Sent(value.filename or "", await value.read())
    elif incoming.method == "POST":
        body = (await incoming.body()).decode("ascii", "replace")
        fields = parse_qsl(body, keep_blank_values=True, encoding=encoding, errors="replace")
    return Request(
        method=incoming.method,
        path=incoming.url.path.lstrip("/"),
        query=dict(incoming.query_params),
        fields=tuple(fields),
        files=files,
        cookies=dict(incoming.cookies),
        base=str(incoming.base_url),
    )


async def _write(response: Response, send: Send) -> None:
    body = response.body.encode() if isinstance(response.body, str) else response.body
    headers = [(b"content-type", response.media.encode()), *((k.lower().encode(), v.encode()) for k, v in response.headers)]
    if response.cut:
        # A body that is announced and never comes: the server closes the connection in the middle of the answer.
        headers.append((b"content-length", b"100000"))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"<", "more_body": True})
        return
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class BoardServer:
    """The board on a port of loopback; port 0 takes any free one. Use as a context manager."""

    def __init__(self, world: World, *, host: str = "127.0.0.1", port: int = 0, seed: str | None = None) -> None:
        self.world = world
        self.site = Site(world, seed=seed)
        self.app = BoardApp(self.site)
        # With the protocol named, asyncio sends answers at once instead of waiting for acknowledgements.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind((host, port))
        self.host, self.port = host, int(self._socket.getsockname()[1])
        config = uvicorn.Config(self.app, log_level="critical", lifespan="off", access_log=False, timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    @property
    def url(self) -> str:
        """The board's address."""
        return f"http://{self.host}:{self.port}/"

    def topic_url(self, topic: int) -> str:
        """A topic's address, as a person would copy it."""
        return f"{self.url}viewtopic.php?t={topic}"

    def start(self) -> BoardServer:
        """Starts serving; returns when it answers."""
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the embedded board did not start")
            time.sleep(0.005)
        return self

    def stop(self) -> None:
        """Stops serving."""
        self._server.should_exit = True
        self._thread.join(START_SECONDS)
        self._socket.close()

    def __enter__(self) -> BoardServer:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
