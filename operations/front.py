"""What stands before the pages: it reads bodies itself, so that a slow one holds no thread.

A server of WSGI gives a request to a thread once its head is there, and the thread waits for the
rest. Here granian speaks ASGI: one loop receives and sends, and threads answer what has come.
"""

import asyncio
import io
import sys
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

# The longest body that is read before a thread is given, into memory. Nearly all are shorter: the
# form of a work page has 5,000 bytes. A longer one is read by its thread, by half of them at most.
SHORT_BYTES = 128 * 1024
# A body may take this long, and longer where it comes at this speed.
BODY_SECONDS = 30.0
SLOWEST_BYTES = 4096  # a second
WHOLE_BYTES = 1024 * 1024  # a static file up to this length is sent at once, like a page

TOO_SLOW = (408, "The request came too slowly. Try again over a better connection.\n")
BUSY = (503, "Other uploads take all the room at the moment. Try again in a minute.\n")


class ThreadedApplication:
    """An ASGI application: a WSGI application answers its requests in threads."""

    def __init__(self, application: Callable[..., Iterable[bytes]], threads: int) -> None:
        self.application = application
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="web")
        self.long = asyncio.Semaphore(max(1, threads // 2))

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request."""
        environ = environ_of(scope)
        reply = Reply(receive, send)
        length = int(environ.get("CONTENT_LENGTH") or 0)
        if length > SHORT_BYTES:
            await self._answer_long(environ, reply)
            return
        try:
            body = await RequestBody(receive).read() if length else b""
        except TimeoutError:
            await reply.send_refusal(*TOO_SLOW)
        except ConnectionResetError:
            return  # whoever asked has gone
        else:
            await self._answer(environ, io.BytesIO(body), reply)

    async def _answer_long(self, environ: dict[str, Any], reply: "Reply") -> None:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                await self.long.acquire()
        except TimeoutError:
            await reply.send_refusal(*BUSY)
            return
        try:
            body = LongBody(RequestBody(reply.receive), asyncio.get_running_loop())
            await self._answer(environ, io.BufferedReader(body), reply)
        finally:
            self.long.release()

    async def _answer(self, environ: dict[str, Any], body: io.IOBase, reply: "Reply") -> None:
        environ["wsgi.input"] = body
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self.threads, self._run, environ, reply, loop)
            await reply.finish()
        finally:
            reply.forget()

    def _run(
        self, environ: dict[str, Any], reply: "Reply", loop: asyncio.AbstractEventLoop
    ) -> None:
        """Let the application answer, in a thread."""
        pieces = self.application(environ, reply.start)
        try:
            if reply.is_whole(pieces):
                reply.content = b"".join(pieces)
            else:
                reply.stream(pieces, loop)
        finally:
            if close := getattr(pieces, "close", None):
                close()


class RequestBody:
    """The body of a request as it comes."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.began = asyncio.get_running_loop().time()
        self.received = 0
        self.ended = False

    async def read_piece(self) -> bytes:
        """Return the next piece, nothing at the end.

        Raises TimeoutError where it comes too slowly, ConnectionResetError where it stops short.
        """
        piece = b""
        async with asyncio.timeout_at(self.began + BODY_SECONDS + self.received / SLOWEST_BYTES):
            while not (piece or self.ended):
                message = await self.receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionResetError
                piece, self.ended = message.get("body", b""), not message.get("more_body")
        self.received += len(piece)
        return piece

    async def read(self) -> bytes:
        """Return all of it."""
        pieces = []
        while piece := await self.read_piece():
            pieces.append(piece)
        return b"".join(pieces)


class LongBody(io.RawIOBase):
    """A body that a thread reads."""

    def __init__(self, body: RequestBody, loop: asyncio.AbstractEventLoop) -> None:
        self.body, self.loop, self.left = body, loop, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Put what has come into the buffer."""
        if not self.left:
            self.left = asyncio.run_coroutine_threadsafe(self.body.read_piece(), self.loop).result()
        count = min(len(buffer), len(self.left))
        buffer[:count], self.left = self.left[:count], self.left[count:]
        return count


class Reply:
    """What is sent back: at once, or piece by piece while a thread makes it."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.receive, self.send = receive, send
        self.head: dict[str, Any] = {}
        self.length: int | None = None
        self.content: bytes | None = b""
        self.gone = False
        self.watch: asyncio.Task[None] | None = None

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
        """Keep status and headers: WSGI's start_response."""
        fields = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
        self.head = {"type": "http.response.start", "status": int(status[:3]), "headers": fields}
        lengths = [int(value) for name, value in fields if name == b"content-length"]
        self.length = lengths[0] if lengths else None

    def is_whole(self, pieces: Iterable[bytes]) -> bool:
        """Whether it may be put together before it is sent."""
        known = self.length is not None and self.length <= WHOLE_BYTES
        return known or isinstance(pieces, list) or not getattr(pieces, "streaming", True)

    def stream(self, pieces: Iterable[bytes], loop: asyncio.AbstractEventLoop) -> None:
        """Send the pieces from a thread, none before the reader has room for it."""
        self.content = None

        def wait_for(step: Any) -> None:
            asyncio.run_coroutine_threadsafe(step, loop).result()

        wait_for(self._begin())
        for piece in pieces:
            if self.gone:
                return
            wait_for(self._send_piece(piece))

    async def finish(self) -> None:
        """Send what is left: all of it, or the end."""
        if self.content is not None:
            await self.send(self.head)
        await self.send({"type": "http.response.body", "body": self.content or b""})

    async def send_refusal(self, status: int, sentence: str) -> None:
        """Send a sentence instead, and let the connection end: the rest of the body is not read."""
        self.start(f"{status}", [("Content-Type", "text/plain"), ("Connection", "close")])
        self.content = sentence.encode()
        await self.finish()

    def forget(self) -> None:
        """Stop watching the reader."""
        if self.watch:
            self.watch.cancel()

    async def _begin(self) -> None:
        await self.send(self.head)
        self.watch = asyncio.create_task(self._see_reader_go())

    async def _send_piece(self, piece: bytes) -> None:
        await self.send({"type": "http.response.body", "body": piece, "more_body": True})

    async def _see_reader_go(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.gone = True


def environ_of(scope: dict[str, Any]) -> dict[str, Any]:
    """Return WSGI's variables of a request.

    Header names with underscores are left out, since X_Forwarded_For would be read as
    X-Forwarded-For, which a proxy sets.
    """
    server, client = scope.get("server") or ("", ""), scope.get("client") or ("", "")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(scope["raw_path"].decode("latin-1"), "latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        if key := _variable(name):
            text = value.decode("latin-1")
            joint = "; " if key == "HTTP_COOKIE" else ","
            environ[key] = f"{environ[key]}{joint}{text}" if key in environ else text
    return environ


@lru_cache(maxsize=200)
def _variable(header: bytes) -> str:
    """Return what WSGI calls a header, nothing for one that is left out."""
    name = header.decode("latin-1").upper()
    if "_" in name:
        return ""
    name = name.replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
