"""An institution on this machine that speaks OpenID Connect."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider


class Institution(BaseHTTPRequestHandler):
    """Tells who `claims` says, and sends browsers back at once."""

    claims = {}
    gives = {"code": "once"}
    asked = []

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/userinfo":
            return self.answer(self.claims)
        if self.path.startswith("/authorize?"):
            return self.send_back()
        here = f"http://127.0.0.1:{self.server.server_port}"
        return self.answer(
            {
                "issuer": here,
                "authorization_endpoint": f"{here}/authorize",
                "token_endpoint": f"{here}/token",
                "userinfo_endpoint": f"{here}/userinfo",
                "jwks_uri": f"{here}/keys",
            }
        )

    def send_back(self):
        query = parse_qs(urlsplit(self.path).query)
        given = {"state": query["state"][0]} | self.gives
        self.send_response(302)
        self.send_header("Location", f"{query['redirect_uri'][0]}?{urlencode(given)}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.asked.append(parse_qs(form))
        self.answer({"access_token": "for-userinfo", "token_type": "Bearer"})

    def log_message(self, *_):
        pass


@contextmanager
def serving():
    """Serve it, and give its address. It knows nobody yet."""
    server = HTTPServer(("127.0.0.1", 0), Institution)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    registry.register(OpenIDConnectProvider)
    Institution.claims, Institution.gives, Institution.asked = {}, {"code": "once"}, []
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
