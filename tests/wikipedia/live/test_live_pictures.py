"""Pictures of a live wiki: from its own hosts, of a decent size, never from inside our network."""

import socket

import pytest
from django.urls import reverse

from tests import factories
from tests.wikipedia.live import fake
from tests.wikipedia.live.fake import Reply
from tests.wikipedia.live.wiki import png
from wikipedia.html.page import PageMissing
from wikipedia.providers import connections, http
from wikipedia.providers.base import ProviderUnavailable

pytestmark = pytest.mark.django_db


@pytest.fixture
def picture(provider, wiki):
    """Ask for a picture; the wiki's description of itself is already known."""
    provider.load_site()

    def ask(reply=None, path=None):
        if reply:
            wiki.queue = [reply]
        return provider.load_asset(
            path or f"https://127.0.0.1:{wiki.port}/images/Bridge%20one.png?2"
        )

    return ask


def test_a_picture_is_fetched_once_for_all(picture, wiki):
    asset = picture(Reply(png(3, 2), type="image/png"))
    assert (asset.content, asset.content_type) == (png(3, 2), "image/png")
    assert wiki.requests[-1]["path"] == "/images/Bridge%20one.png"
    count = len(wiki.requests)
    assert picture() == asset
    assert len(wiki.requests) == count


def test_a_picture_reaches_the_browser_from_our_origin(picture, wiki, client_as):
    wiki.queue = [Reply(png(3, 2), type="image/png")]
    address = f"https://127.0.0.1:{wiki.port}/images/Bridge%20one.png?2"
    client = client_as(factories.make_user(name="Sue Staff", is_staff=True))
    response = client.get(reverse("wikipedia:asset", args=["live", address]))
    assert (response.status_code, response["Content-Type"]) == (200, "image/png")
    assert response.content == png(3, 2)
    assert "sandbox" in response["Content-Security-Policy"]
    assert wiki.requests[-1]["path"] == "/images/Bridge%20one.png"


def test_a_path_whose_slashes_a_proxy_merged_still_works(picture, wiki):
    asset = picture(
        Reply(png(3, 2), type="image/png; charset=x"), f"https:/127.0.0.1:{wiki.port}/a.png"
    )
    assert asset.content_type == "image/png"


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example/a.png",
        "http://169.254.169.254/latest/meta-data",
        "http://localhost/a.png",
        "https://127.0.0.1/a.png",
        "https://user@127.0.0.1:{port}/a.png",
        "https://127.0.0.1:{port}@evil.example/a.png",
        "https://127.0.0.1:{port}.evil.example/a.png",
        "file:///etc/passwd",
        "../etc/passwd",
        "",
    ],
)
def test_other_hosts_are_never_asked(picture, wiki, path):
    count = len(wiki.requests)
    with pytest.raises(PageMissing, match="is not a file of Rivertown wiki"):
        picture(path=path.format(port=wiki.port) or "x")
    assert len(wiki.requests) == count


@pytest.mark.parametrize(
    "target", ["http://169.254.169.254/x.png", "//evil.example/x.png", "file:///etc/passwd"]
)
def test_a_redirect_to_another_host_is_not_followed(picture, wiki, target):
    count = len(wiki.requests)
    with pytest.raises(PageMissing, match="no picture"):
        picture(Reply(status=302, headers={"Location": target}))
    assert len(wiki.requests) == count + 1


def test_a_redirect_within_the_wiki_is_followed(picture, wiki):
    wiki.queue = [
        Reply(status=302, headers={"Location": "/images/new.png"}),
        Reply(png(1, 1), type="image/png"),
    ]
    assert picture().content == png(1, 1)
    assert wiki.requests[-1]["path"] == "/images/new.png"


def test_redirects_end(picture, wiki):
    wiki.queue = [Reply(status=302, headers={"Location": "/a.png"})] * 9
    with pytest.raises(PageMissing):
        picture()
    assert len(wiki.queue) == 6


@pytest.mark.parametrize("kind", ["text/html", "application/json", "image/x-evil", ""])
def test_what_is_no_picture_is_not_shown(picture, kind):
    with pytest.raises(PageMissing, match="no picture"):
        picture(Reply(b"<script>alert(1)</script>", type=kind))


def test_a_picture_too_large_is_refused(picture):
    with pytest.raises(ProviderUnavailable, match="larger than 10 MB"):
        picture(Reply(b"\x00" * 11_000_000, type="image/png"))


def test_a_large_picture_is_shown_but_not_kept(picture, wiki):
    wiki.queue = [Reply(b"\x00" * 600_000, type="image/png")] * 2
    assert len(picture().content) == 600_000
    assert len(picture().content) == 600_000
    assert wiki.queue == []


def test_the_hosts_of_pictures_come_from_the_wiki(provider, wiki):
    wiki.repos = [
        {"name": "local", "url": "//upload.example.org/en", "thumbUrl": "//upload.example.org/t"},
        {"name": "shared", "url": "https://shared.example.net:8443/c", "rootUrl": None},
    ]
    assert dict(provider.load_site().hosts) == {
        f"127.0.0.1:{wiki.port}": "http",
        "upload.example.org": "http",
        "shared.example.net:8443": "https",
    }


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
def test_a_public_wiki_never_leads_into_our_network(wiki, settings, address):
    """A name may be pointed at any address at any time: who answers is looked at, not the name."""
    settings.WIKI_USER_AGENT = "Study (a@example.org)"
    client = http.Client()
    with pytest.raises(http.RequestRefused, match="private address"):
        client.get(f"http://{address}:{wiki.port}/w/api.php", most_bytes=10, seconds=5)
    assert wiki.requests == []


@pytest.mark.parametrize(
    ("peer", "public"),
    [
        ("93.184.216.34", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2002:5db8:d822::1", True),  # 6to4: the IPv4 address is in it
        ("2002:0a00:0001::1", False),
        ("64:ff9b::93.184.216.34", True),  # NAT64
        ("64:ff9b::10.0.0.1", False),
        ("64:ff9b::169.254.169.254", False),
        ("64:ff9b:1::10.0.0.1", False),  # NAT64 of a network's own
        ("::127.0.0.1", False),
        ("::10.0.0.1", False),
        ("fec0::1", False),  # site-local, as it once was
        ("2001::1", False),  # Teredo
        ("ff0e::1", False),
        ("240.0.0.1", False),
    ],
)
def test_which_addresses_are_public(peer, public):
    class Socket:
        closed = False

        def getpeername(self):
            return (peer, 80)

        def close(self):
            self.closed = True

    sock = Socket()
    if public:
        assert connections.check_peer(sock, connections.is_public) is sock
    else:
        with pytest.raises(connections.WrongAddress):
            connections.check_peer(sock, connections.is_public)
    assert sock.closed is not public


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_wiki_on_this_machine_opens_its_own_port_only(wiki, name):
    """Another service of the machine is not reached, whatever the wiki says of its pictures."""
    client = http.Client(loopback=wiki.address)
    with fake.running() as secret:
        with pytest.raises(http.RequestRefused, match="private address"):
            client.get(f"http://{name}:{secret.port}/private.png", most_bytes=10, seconds=5)
        assert secret.requests == []
    client.get(f"http://localhost:{wiki.port}/w/api.php", most_bytes=10_000, seconds=5)
    assert len(wiki.requests) == 1


def test_a_wiki_cannot_name_another_service_as_the_host_of_its_pictures(provider, wiki, naps):
    with fake.running() as secret:
        wiki.repos = [{"name": "local", "url": f"http://127.0.0.1:{secret.port}/"}]
        with pytest.raises(ProviderUnavailable, match="private address"):
            provider.load_asset(f"http://127.0.0.1:{secret.port}/private.png")
        assert secret.requests == []


@pytest.mark.parametrize("part", ["server", "articlepath", "script"])
@pytest.mark.parametrize("own", ["javascript:alert(1)//$1", "file:///etc/$1", "data:text/html,$1"])
def test_a_wiki_with_a_strange_address_of_its_own_is_refused(provider, wiki, part, own):
    """People are sent there to see a page on the wiki itself."""
    site = wiki._site()
    site["query"]["general"][part] = own
    wiki.queue = [Reply(site)]
    with pytest.raises(ProviderUnavailable, match="as its own address"):
        provider.load_page("Lantern_Bridge")
    assert len(wiki.requests) == 1


@pytest.mark.parametrize(
    "path",
    ["http://169.254.169.254/latest", "//evil.example/x", "../../etc/passwd", "x@evil.example"],
)
def test_no_title_leads_elsewhere(provider, wiki, path):
    provider.load_page(path)  # the fake has every page: what counts is whom we asked, and for what
    assert all(r["path"] == "/w/api.php" for r in wiki.requests)
    assert {r["headers"]["Host"] for r in wiki.requests} == {f"127.0.0.1:{wiki.port}"}


@pytest.mark.parametrize("target", ["http://169.254.169.254/x", "//evil.example/wiki/X"])
def test_a_redirect_page_that_points_outside_is_no_redirect(provider, wiki, target):
    wiki.article = (
        '<div class="redirectMsg"><ul class="redirectText"><li>'
        f'<a href="{target}">X</a></li></ul></div>'
    )
    page = provider.load_page("Lantern_Bridge")
    assert page.title == "Lantern Bridge"
    assert {r["headers"]["Host"] for r in wiki.requests} == {f"127.0.0.1:{wiki.port}"}


def test_a_name_that_is_pointed_into_our_network_later_is_noticed(wiki, monkeypatch):
    """DNS rebinding: whatever a name was when it was looked up, who answers is looked at."""
    connect = socket.create_connection

    def rebound(address, *args, **kwargs):
        return connect(("127.0.0.1", wiki.port))

    monkeypatch.setattr("urllib3.util.connection.create_connection", rebound)
    with pytest.raises(http.RequestRefused, match="private address"):
        http.Client().get("http://wiki.example.org/w/api.php", most_bytes=10, seconds=5)
    assert wiki.requests == []
