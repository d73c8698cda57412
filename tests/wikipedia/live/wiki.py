"""A real MediaWiki for a test session: Debian's, on SQLite, with a few pages of our own.

`build` makes it in a folder, `serve` runs it on a free port of the loopback. Its search wants
every word and shows wikitext in snippets; all else answers as Wikipedia does.
"""

import os
import shutil
import signal
import socket
import struct
import subprocess
import time
import urllib.request
import zlib
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

MEDIAWIKI = Path("/usr/share/mediawiki")
NAME = "Rivertown"
RIGHTS_URL = "https://creativecommons.org/licenses/by-sa/4.0/"

BRIDGE_2015 = """'''Lantern Bridge''' is a stone bridge over the [[River Elm]]. It was opened by \
[[Ida Marsh]] in 1911.

== History ==
The first lamps burned oil.<ref>Town Register, volume 4.</ref>

== References ==
<references />"""

BRIDGE_2017 = """{{Box|opened=1911|length=84 m}}
'''Lantern Bridge''' is a stone bridge over the [[River Elm]]. It was opened by \
[[Ida Marsh]] in 1911. See [[Ferry House#Tolls|the old tolls]] and [[Lamp museum]].

[[File:Bridge.png|thumb|The bridge at night]]
== History ==
The oil lamps were replaced by gas in 1934.<ref>Town Register, volume 9.</ref>

=== Lamps ===
{| class="wikitable"
|+ Lamps by year
! Year !! Lamps
|-
| 1911 || 12
|-
| 1934 || 30
|}

* [https://lamps.example.org/ The lamp society]
* [[File:Bridge.png]]
* [[Node.js]], [[AC/DC]], [[C++]], [[Who lit the lamps?]], [[Rock & Rill]]

== References ==
<references />

[[Category:Bridges]]"""

BRIDGE_2019 = "'''Lantern Bridge''' is a footbridge. Its electric lamps date from 2018."

# title -> revisions (moment, wikitext), oldest first
PAGES = {
    "Lantern Bridge": [
        ("2015-03-01T10:00:00Z", BRIDGE_2015),
        ("2017-06-15T12:00:00Z", BRIDGE_2017),
        ("2019-02-02T09:30:00Z", BRIDGE_2019),
    ],
    "Template:Box": [
        (
            "2014-01-01T00:00:00Z",
            '{| class="infobox"\n! Opened\n| {{{opened}}}\n|-\n! Length\n| {{{length}}}\n|}',
        )
    ],
    "River Elm": [("2014-05-05T08:00:00Z", "The '''River Elm''' flows past Rivertown.")],
    "Ida Marsh": [("2014-06-01T08:00:00Z", "'''Ida Marsh''' was mayor when a bridge opened.")],
    "Bridge of Lanterns": [("2016-01-01T00:00:00Z", "#REDIRECT [[Lantern Bridge#History]]")],
    # Moved in 2019: the article's history went with it, a redirect stayed behind.
    "Ferry House": [
        ("2015-01-01T00:00:00Z", "The '''Toll House''' took tolls.\n== Tolls ==\nOne penny."),
        ("2019-05-01T00:00:00Z", "The '''Ferry House''' took tolls until 1950."),
    ],
    "Toll House": [("2019-05-01T00:00:01Z", "#REDIRECT [[Ferry House]]")],
    # An article in 2017 that was merged into another later.
    "Mill Lane": [
        ("2016-02-02T00:00:00Z", "'''Mill Lane''' leads to the water mill."),
        ("2020-02-02T00:00:00Z", "#REDIRECT [[River Elm]]"),
    ],
    # A redirect that was pointed elsewhere later.
    "Old crossing": [
        ("2015-06-01T00:00:00Z", "#REDIRECT [[Lantern Bridge]]"),
        ("2018-06-01T00:00:00Z", "#REDIRECT [[River Elm]]"),
    ],
    # An article that was blank for a while.
    "Elm Gate": [
        ("2014-01-01T00:00:00Z", "'''Elm Gate''' was the eastern gate."),
        ("2016-01-01T00:00:00Z", ""),
        ("2018-01-01T00:00:00Z", "'''Elm Gate''' was rebuilt."),
    ],
    "Razed inn": [("2013-01-01T00:00:00Z", "The '''Razed inn''' stood by the river.")],
    "Round One": [("2016-01-01T00:00:00Z", "#REDIRECT [[Round Two]]")],
    "Round Two": [("2016-01-01T00:00:00Z", "#REDIRECT [[Round One]]")],
    "Lamp museum": [("2021-01-01T00:00:00Z", "The '''Lamp museum''' opened in 2021.")],
    "Node.js": [("2016-01-01T00:00:00Z", "'''Node.js''' runs scripts by lamplight.")],
    "AC/DC": [("2016-01-01T00:00:00Z", "'''AC/DC''' is a band. [[Lantern Bridge]].")],
    "C++": [("2016-01-01T00:00:00Z", "'''C++''' is a language. <code>src=\"/a\"</code>")],
    "Who lit the lamps?": [("2016-01-01T00:00:00Z", "A play about the lamplighter Tom Wick.")],
    "Rock & Rill": [("2016-01-01T00:00:00Z", 'An inn; "<b>ale</b>" is [[served]].')],
    "Élan d'Elm": [("2016-01-01T00:00:00Z", "A rowing club on the river.")],
    **{
        f"Pier {number}": [("2016-01-01T00:00:00Z", f"Landing stage number {number}.")]
        for number in range(1, 26)
    },
}

# Deleted after all this, as somebody may do at any time.
DELETED = ["Razed inn"]

_ROUTER = """<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (preg_match('#^/images/[A-Za-z0-9_./-]+\\.png$#', $path) && !str_contains($path, '..')) {
    $file = '%(root)s' . $path;
    if (!is_file($file)) { http_response_code(404); return true; }
    header('Content-Type: image/png');
    readfile($file);
    return true;
}
foreach (['/api.php', '/index.php'] as $script) {
    if ($path === $script || str_starts_with($path, $script . '/')) {
        $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $script;
        $_SERVER['SCRIPT_FILENAME'] = '%(mediawiki)s' . $script;
        chdir('%(mediawiki)s');
        require '%(mediawiki)s' . $script;
        return true;
    }
}
http_response_code(404);
return true;
"""

_SETTINGS = f"""
wfLoadExtension( 'Cite' );
$wgEnableUploads = true;
$wgUploadDirectory = '%(root)s/images';
$wgRightsUrl = '{RIGHTS_URL}';
$wgRightsText = 'Creative Commons Attribution-ShareAlike';
$wgJobRunRate = 0;
$wgMainCacheType = CACHE_NONE;
$wgTmpDirectory = '%(root)s/tmp';
"""


def missing():
    """Why the wiki cannot be built here, or None."""
    if not (MEDIAWIKI / "maintenance" / "install.php").is_file():
        return f"no MediaWiki at {MEDIAWIKI}; install mediawiki, php-sqlite3 and php-cli"
    if shutil.which("php") is None:
        return "no php on PATH; install php-cli and php-sqlite3"
    return None


def build(folder, port):
    """Install the wiki in `folder` for `port` of the loopback, with its pages and a picture."""
    root, data = folder / "root", folder / "data"
    for made in (root / "images", root / "tmp", data):
        made.mkdir(parents=True)
    for item in MEDIAWIKI.iterdir():
        if item.name not in ("LocalSettings.php", "images", "config", "extensions-core"):
            (root / item.name).symlink_to(item)
    _php(
        root, "maintenance/install.php", "--confpath", root, "--dbtype", "sqlite", "--dbpath", data,
        "--dbname", "rivertown", "--server", f"http://127.0.0.1:{port}", "--scriptpath", "",
        "--installdbuser", "unused", "--pass", "adminpass12345", NAME, "Admin",
    )  # fmt: skip
    with (root / "LocalSettings.php").open("a", encoding="utf-8") as settings:
        settings.write(_SETTINGS % {"root": root})
    dump, pictures = folder / "pages.xml", folder / "pictures"
    dump.write_text(dump_xml(PAGES), encoding="utf-8")
    pictures.mkdir()
    (pictures / "Bridge.png").write_bytes(png(120, 80))
    configured = ("--conf", root / "LocalSettings.php")
    _php(root, "maintenance/importDump.php", *configured, "--no-updates", dump)
    _php(root, "maintenance/importImages.php", *configured, "--extensions", "png", pictures)
    deleted = folder / "deleted.txt"
    deleted.write_text("\n".join(DELETED) + "\n", encoding="utf-8")
    _php(root, "maintenance/deleteBatch.php", *configured, "-r", "no sources", deleted)
    _php(root, "maintenance/rebuildtextindex.php", *configured)
    router = folder / "router.php"
    router.write_text(_ROUTER % {"root": root, "mediawiki": MEDIAWIKI}, encoding="utf-8")
    return root


@contextmanager
def serve(folder, port):
    """The wiki's address while it runs; its server and workers are ended afterwards."""
    log = (folder / "server.log").open("wb")
    server = subprocess.Popen(
        ["php", "-d", "opcache.enable_cli=1", "-S", f"127.0.0.1:{port}", folder / "router.php"],
        env=_environment(folder / "root") | {"PHP_CLI_SERVER_WORKERS": "4"},
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/api.php?action=query&format=json", server, folder)
        yield f"http://127.0.0.1:{port}/api.php"
    finally:
        os.killpg(server.pid, signal.SIGTERM)  # the group is the server and its workers
        server.wait(10)
        log.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def dump_xml(pages):
    """An export file as MediaWiki reads it."""
    number, rows = 0, []
    for title, revisions in pages.items():
        rows.append(f"<page><title>{escape(title)}</title><ns>{10 if ':' in title else 0}</ns>")
        for moment, text in revisions:
            number += 1
            rows.append(
                f"<revision><id>{number}</id><timestamp>{moment}</timestamp>"
                "<contributor><username>Clerk</username><id>7</id></contributor>"
                "<model>wikitext</model><format>text/x-wiki</format>"
                f'<text xml:space="preserve">{escape(text)}</text></revision>'
            )
        rows.append("</page>")
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" '
        f'xml:lang="en"><siteinfo><sitename>{NAME}</sitename></siteinfo>'
        + "".join(rows)
        + "</mediawiki>"
    )


def png(width, height):
    """A grey picture."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = (b"\x00" + b"\x80" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def _environment(root):
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(root),
        "MW_CONFIG_FILE": str(root / "LocalSettings.php"),
        "MW_INSTALL_PATH": str(MEDIAWIKI),
    }


def _php(root, script, *arguments):
    environment = _environment(root)
    if not (root / "LocalSettings.php").exists():
        environment = {"PATH": environment["PATH"], "HOME": environment["HOME"]}
    done = subprocess.run(
        ["php", "-d", "memory_limit=512M", root / script, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{script} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def _wait_for(url, server, folder):
    for _ in range(200):
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:  # noqa: S310
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("The wiki did not start:\n" + (folder / "server.log").read_text()[-2000:])
