"""Runs a web application in a thread of this process: the desk beside the service, and the demo's servers."""

from __future__ import annotations

import socket
import threading
import time
from types import TracebackType
from typing import Any

import uvicorn

from forum_gm.errors import UsageProblem
from forum_gm.wording import trouble

START_SECONDS = 20.0
"""How long the application may take to come up."""


class WebServer:
    """An application on a socket of its own; port 0 takes any free one. Use as a context manager."""

    def __init__(self, app: Any, host: str = "127.0.0.1", port: int = 0) -> None:
        """Raises `UsageProblem` when the address can't be had."""
        # With the protocol named, asyncio sends answers at once instead of waiting for acknowledgements.
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise UsageProblem(f"Адрес {host}:{port} занят или недоступен ({trouble(error)}): поменяйте desk.port.") from error
        self.host, self.port = host, int(self._socket.getsockname()[1])
        config = uvicorn.Config(app, log_level="warning", lifespan="off", access_log=False, timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    @property
    def address(self) -> str:
        """For a browser."""
        return f"http://{self.host}:{self.port}/"

    def __enter__(self) -> WebServer:
        self._thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise UsageProblem(f"Веб-сервер на {self.address} не запустился.")
            time.sleep(0.01)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.should_exit = True
        self._thread.join(START_SECONDS)
        self._socket.close()
