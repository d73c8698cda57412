"""A hub and Zenodo on loopback, as far as sending a release needs them.

Both keep what they are sent, count requests, and answer a request with `fails[METHOD, part]` where
its path has that part. The order and the shapes of answers are those of their documented APIs.
"""

import base64
import hashlib
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit


class Endpoint(ThreadingHTTPServer):
    """A server on a free port, with what it has been asked."""

    daemon_threads = True
    token = "t0ken"

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.asked, self.fails, self.wait = [], {}, 0
        Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    def respond(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        split = urlsplit(self.path)
        self.route, self.query = unquote(split.path), parse_qs(split.query)
        self.server.asked.append((self.command, self.route))
        time.sleep(self.server.wait)
        if self.headers.get("Authorization") != f"Bearer {self.server.token}":
            return self.answer(401, {"message": "Who are you?", "error": "Who are you?"})
        for (method, part), status in list(self.server.fails.items()):
            if method == self.command and part in self.route:
                return self.answer(status, {"message": "No, sorry.", "error": "No, sorry."})
        return self.answer(*self.route_request())

    do_GET = do_POST = do_PUT = do_DELETE = respond

    def answer(self, status, data):
        content = json.dumps(data).encode() if data is not None else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class HubHandler(Handler):
    def route_request(self):
        server = self.server
        if self.route == "/api/repos/create":
            made = json.loads(self.body)
            name = f"{made['organization']}/{made['name']}"
            if name in server.repositories:
                there = {"url": f"{server.url}/datasets/{name}"}
                return 409, {"error": "You already created this dataset repo"} | there
            server.repositories[name] = {"visibility": made["visibility"], "files": {}}
            return 200, {"url": f"{server.url}/datasets/{name}"}
        if self.route == "/api/validate-yaml":
            return 200, {"errors": [], "warnings": []}
        name = "/".join(self.route.split("/")[3:5])
        files = server.repositories[name]["files"]
        if "/preupload/" in self.route:
            wanted = json.loads(self.body)["files"]
            return 200, {"files": [self.describe(row["path"], files) for row in wanted]}
        if "/commit/" in self.route:
            for line in self.body.splitlines():
                row = json.loads(line)
                if row["key"] == "file":
                    files[row["value"]["path"]] = base64.b64decode(row["value"]["content"])
            server.commits += 1
            address = f"{server.url}/datasets/{name}/commit/{'0' * 40}"
            return 200, {"commitUrl": address, "commitOid": "0" * 40}
        return 200, {"id": name, "sha": "0" * 40}

    @staticmethod
    def describe(path, files):
        content = files.get(path)
        oid = content if content is None else b"blob %d\0%b" % (len(content), content)
        digest = oid and hashlib.sha1(oid, usedforsecurity=False).hexdigest()
        return {"path": path, "uploadMode": "regular", "shouldIgnore": False, "oid": digest}


class Hub(Endpoint):
    def __init__(self):
        self.repositories, self.commits = {}, 0
        super().__init__(HubHandler)


class ZenodoHandler(Handler):
    def route_request(self):
        parts = self.route.strip("/").split("/")
        if parts[:2] == ["api", "files"]:
            number, name = int(parts[2]), parts[3]
            self.server.depositions[number]["files"][name] = self.body
            return 201, {"key": name}
        if len(parts) == 3:
            return self.collection()
        number = int(parts[3])
        found = self.server.depositions[number]
        if parts[4:] == ["actions", "newversion"]:
            return 201, {"links": {"latest_draft": self.address(self.begin(found["files"]))}}
        if parts[4:] == ["files"]:
            return 200, [self.describe_file(name, found["files"][name]) for name in found["files"]]
        if parts[4:5] == ["files"]:
            del found["files"][parts[5].removeprefix("id-")]
            return 204, None
        if self.command == "PUT":
            found["metadata"] = json.loads(self.body)["metadata"]
        return 200, self.describe(number)

    def collection(self):
        if self.command == "POST":
            number = self.begin({})
            self.server.depositions[number]["metadata"] = json.loads(self.body)["metadata"]
            return 201, self.describe(number)
        wanted = self.query["status"] == ["published"]
        rows = self.server.depositions.items()
        return 200, [self.describe(key) for key, row in rows if row["published"] == wanted]

    def begin(self, files):
        number = 1 + len(self.server.depositions)
        self.server.depositions[number] = {"metadata": {}, "files": dict(files), "published": False}
        return number

    def address(self, number):
        return f"{self.server.url}/api/deposit/depositions/{number}"

    def describe(self, number):
        links = {
            "bucket": f"{self.server.bucket_url or self.server.url}/api/files/{number}",
            "html": f"{self.server.url}/deposit/{number}",
        }
        return {"id": number, "metadata": self.server.depositions[number]["metadata"]} | {
            "links": links
        }

    @staticmethod
    def describe_file(name, content):
        digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
        return {"id": f"id-{name}", "filename": name, "checksum": digest}


class Zenodo(Endpoint):
    def __init__(self):
        self.depositions, self.bucket_url = {}, ""
        super().__init__(ZenodoHandler)
