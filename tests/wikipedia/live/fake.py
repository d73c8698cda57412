"""A wiki on the loopback that answers as it is told: to see what Ambit does when one misbehaves."""

import gzip
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

ARTICLE = (
    '<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">'
    "<p>The <b>Lantern Bridge</b> crosses the "
    '<a href="/wiki/River_Elm" title="River Elm">Elm</a>.'
    '<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">'
    '<span class="cite-bracket">&#91;</span>1<span class="cite-bracket">&#93;</span></a></sup></p>'
    '<div class="mw-heading mw-heading2"><h2 id="History">History</h2>'
    '<span class="mw-editsection">[<a href="/w/index.php?title=X&amp;action=edit">edit</a>]</span>'
    "</div><p>It was opened in 1911.</p>"
    '<div class="mw-heading mw-heading3"><h3 id="Lamps">Lamps</h3></div><p>Thirty of them.</p>'
    '<div class="mw-heading mw-heading2"><h2 id="References">References</h2></div>'
    '<div class="mw-references-wrap"><ol class="references"><li id="cite_note-1">'
    '<span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> '
    '<span class="reference-text">Town Register.</span></li></ol></div></div>'
)


@dataclass
class Reply:
    """One answer. `wait` keeps it back until the event is set; `drip` sends it byte by byte."""

    body: bytes | str | dict | list = b""
    status: int = 200
    headers: dict = field(default_factory=dict)
    type: str = "application/json"
    wait: threading.Event | None = None
    drip: float = 0.0
    cut: bool = False

    def data(self):
        if isinstance(self.body, (dict, list)):
            return json.dumps(self.body).encode()
        return self.body.encode() if isinstance(self.body, str) else self.body


class FakeWiki:
    """`queue` holds replies for the next requests; without any, the wiki is well."""

    def __init__(self, port):
        self.port = port
        self.address = f"http://127.0.0.1:{port}/w/api.php"
        self.queue, self.requests = [], []
        self.delay, self.under_way, self.most_under_way = 0.0, 0, 0
        self.article = ARTICLE
        self.results = [("Lantern Bridge", 'the <span class="searchmatch">lamps</span>')]
        self.redirects, self.suggestion = {}, None
        self.repos = []
        self.titles, self.titles_at_once = [], 2
        self._lock = threading.Lock()

    def asked(self, action):
        return [r for r in self.requests if r["params"].get("action") == action]

    def reply(self, request):
        with self._lock:
            self.requests.append(request)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            queued = self.queue.pop(0) if self.queue else None
        time.sleep(self.delay)
        return queued or Reply(self._well(request["params"]))

    def done(self):
        with self._lock:
            self.under_way -= 1

    def _well(self, params):
        if params.get("meta"):
            return self._site()
        if params.get("list") == "search":
            return self._search(params)
        if params.get("list") == "allpages":
            return self._list_titles(params)
        if params.get("prop") == "revisions":
            revision = {"revid": 42, "parentid": 41, "timestamp": "2017-06-15T12:00:00Z"}
            page = {"pageid": 7, "ns": 0, "title": params["titles"], "revisions": [revision]}
            return {"batchcomplete": True, "query": {"pages": [page]}}
        if params.get("action") == "parse":
            return {"parse": {"title": "X", "pageid": 7, "revid": 42, "text": self.article}}
        return {"error": {"code": "badvalue", "info": "Unrecognised value."}}

    def _site(self):
        general = {
            "sitename": "Rivertown",
            "server": f"//127.0.0.1:{self.port}",
            "articlepath": "/wiki/$1",
            "script": "/w/index.php",
            "lang": "en",
        }
        spaces = {"0": {"id": 0, "name": ""}, "6": {"id": 6, "name": "Datei", "canonical": "File"}}
        rights = {"url": "https://creativecommons.org/licenses/by-sa/4.0/", "text": "CC"}
        query = {"general": general, "namespaces": spaces, "rightsinfo": rights}
        return {"batchcomplete": True, "query": {**query, "repos": self.repos}}

    def _list_titles(self, params):
        titles = [t for t in self.titles if t.startswith(params["apprefix"])]
        start = int(params.get("apcontinue", 0))
        some = titles[start : start + self.titles_at_once]
        body = {"query": {"allpages": [{"pageid": 1, "ns": 0, "title": title} for title in some]}}
        if start + self.titles_at_once < len(titles):
            body["continue"] = {"apcontinue": str(start + self.titles_at_once), "continue": "-||"}
        return body

    def _search(self, params):
        start, limit = int(params["sroffset"]), int(params["srlimit"])
        rows = [
            {"ns": 0, "title": title, "pageid": 1, "snippet": snippet}
            | ({"redirecttitle": self.redirects[title]} if title in self.redirects else {})
            for title, snippet in self.results[start : start + limit]
        ]
        info = {"totalhits": len(self.results)}
        if self.suggestion is not None and "suggestion" in params["srinfo"]:
            info["suggestion"] = self.suggestion
        body = {"query": {"searchinfo": info, "search": rows}}
        if start + limit < len(self.results):
            body["continue"] = {"sroffset": start + limit, "continue": "-||"}
        return body


@contextmanager
def running():
    """A fake wiki that serves until the end of the block."""
    wiki = FakeWiki(0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            parts = urlsplit(self.path)
            request = {
                "path": parts.path,
                "params": dict(parse_qsl(parts.query)),
                "headers": dict(self.headers),
            }
            reply = wiki.reply(request)
            try:
                self._send(reply)
            except OSError:  # the client had enough
                self.close_connection = True
            finally:
                wiki.done()

        def _send(self, reply):
            if reply.wait is not None:
                reply.wait.wait(20)
            data, headers = reply.data(), dict(reply.headers)
            if "gzip" in self.headers.get("Accept-Encoding", "") and not reply.drip:
                data, headers["Content-Encoding"] = gzip.compress(data, 1), "gzip"
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.type)
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.cut:
                data, self.close_connection = data[: len(data) // 2], True
            if reply.drip:
                for position in range(len(data)):
                    self.wfile.write(data[position : position + 1])
                    self.wfile.flush()
                    time.sleep(reply.drip)
            else:
                self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request, client_address):
            """Clients that hang up are part of the play."""

    server = Server(("127.0.0.1", 0), Handler)
    wiki.__init__(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield wiki
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
