"""A server on loopback that speaks OpenAI's chat completions and replies as a test says."""

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GOOD = json.dumps(
    {
        "pairs": [
            {"question": "When did it open to walkers?", "answers": ["1843"], "passage": 1},
            {"question": "When did trains first use it?", "answers": ["1869", "in 1869"]},
        ],
        "long_answer": "It opened to walkers in 1843 and to trains in 1869.",
    }
)


@dataclass
class Reply:
    """One response: a text of the model, or `body` as it is; `drip` sends a byte at a time."""

    text: str = GOOD
    status: int = 200
    headers: dict = field(default_factory=dict)
    body: bytes | None = None
    tokens: tuple = (100, 20)
    finish: str = "stop"
    wait: float = 0.0
    drip: float = 0.0

    def content(self):
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.text}
        usage = {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1]}
        choice = {"message": message, "finish_reason": self.finish}
        return json.dumps({"choices": [choice], "usage": usage}).encode()


class Chat:
    """What the server was asked, and what it will reply; the last reply is repeated."""

    def __init__(self):
        self.replies, self.bodies, self.headers, self.paths, self.url = [Reply()], [], [], [], ""

    def next(self):
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    @property
    def said(self):
        """The texts of the messages of the latest request."""
        return [message["content"] for message in self.bodies[-1]["messages"]]


@contextmanager
def running():
    chat = Chat()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            chat.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            chat.headers.append(dict(self.headers))
            chat.paths.append(self.path)
            reply = chat.next()
            content = reply.content()
            time.sleep(reply.wait)
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Length": len(content), **reply.headers}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                if not reply.drip:
                    self.wfile.write(content)
                    return
                for byte in content:
                    self.wfile.write(bytes([byte]))
                    time.sleep(reply.drip)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client has had enough

        def log_message(self, *arguments):
            pass

    class Server(ThreadingHTTPServer):
        block_on_close = False
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    chat.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield chat
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
