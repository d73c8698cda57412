"""The headers of each kind of answer, whole: a proxy or a browser may rely on any of them."""

import pytest

from tests import factories

PAGE = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Encoding": "gzip",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": {
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    },
}
DATA = {name: value for name, value in PAGE.items() if name != "Content-Encoding"}
PRIVATE = {"Cache-Control": "private, no-cache"}
NEVER = {"Cache-Control": "max-age=0, no-cache, no-store, must-revalidate, private"}


def headers_of(response):
    """Return the headers, without those whose value differs from one answer to the next."""
    headers = dict(response.headers)
    for name, sign in (("Content-Security-Policy", "; "), ("Vary", ", ")):
        if name in headers:
            headers[name] = set(headers[name].split(sign))
    for name in ("Content-Length", "Expires", "Last-Modified", "Date", "X-Request-ID"):
        headers.pop(name, None)
    return headers


@pytest.fixture
def get(client):
    def get(address, **headers):
        return client.get(address, headers={"Accept-Encoding": "gzip, br"} | headers)

    return get


def expected(kind, *others, vary=("Cookie",)):
    headers = kind | {"Vary": set(vary)}
    for other in others:
        headers |= other
    return headers


def test_headers_for_strangers(get, db):
    both = ("Cookie", "Accept-Encoding")
    assert headers_of(get("/account/login/")) == expected(PAGE, NEVER, vary=both)
    assert headers_of(get("/nowhere/")) == expected(PAGE, vary=both)
    assert headers_of(get("/")) == expected(PAGE, NEVER, vary=both)
    to_sign_in = {"Location": "/account/login/?next=/projects/"}
    assert headers_of(get("/projects/")) == expected(DATA, to_sign_in)
    api = {"Content-Type": "application/json", "Allow": "GET, HEAD, OPTIONS"}
    refused = expected(DATA, api, {"WWW-Authenticate": "Token"})
    assert headers_of(get("/api/v1/projects/")) == refused
    unreadable = expected(PAGE, vary=("Accept-Encoding",))
    del unreadable["X-Frame-Options"]
    assert headers_of(get("/?q=%00")) == unreadable
    with_slash = expected(DATA, {"Location": "/account/settings/"})
    del with_slash["X-Frame-Options"]
    assert headers_of(get("/account/settings")) == with_slash


def test_headers_for_people(get, client_as, ann, project):
    client_as(ann)
    work = factories.make_assignment(factories.make_task(project), ann)
    both = ("Cookie", "Accept-Encoding")
    assert headers_of(get(f"/work/{work.pk}/")) == expected(PAGE, NEVER, vary=both)
    assert headers_of(get("/nowhere/")) == expected(PAGE, PRIVATE, vary=both)
    assert headers_of(get(f"/projects/{project.slug}/people/")) == expected(
        PAGE, PRIVATE, vary=both
    )
    assert headers_of(get(f"/work/{work.pk}/submit/")) == expected(DATA, PRIVATE, {"Allow": "POST"})
    api = {"Content-Type": "application/json", "Allow": "GET, HEAD, OPTIONS"}
    private = {"Cache-Control": "private, no-store"}
    assert headers_of(get("/api/v1/projects/")) == expected(DATA, api, private)


def test_headers_of_a_static_file(client, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "base.css").write_text("p { margin: 0 }")
    settings.WHITENOISE_AUTOREFRESH = False
    response = client.get("/static/base.css", headers={"Accept-Encoding": "gzip, br"})
    assert response.getvalue() == b"p { margin: 0 }"
    headers = headers_of(response)
    del headers["ETag"]
    assert headers == {
        "Access-Control-Allow-Origin": "*",
        "Cache-Control": "max-age=60, public",
        "Content-Type": 'text/css; charset="utf-8"',
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
