"""What a browser receives before a page can be used: the page, its scripts and its styles.

Counted over the wire, as a browser gets it with `Accept-Encoding: gzip, br` on an empty cache: the
page as it was sent, each file as `collectstatic` compresses it. Headers, articles and pictures are
not counted.
"""

import re
from pathlib import Path
from posixpath import dirname, normpath

import brotli
from django.contrib.staticfiles import finders

BUDGET = 64 * 1024
ASKED = {"Accept-Encoding": "gzip, br"}
# What is imported with import(…) comes only when it is wanted.
IMPORT = re.compile(r'(?:import|from)\s*"(\.[^"]+)"')


def with_imports(name, found):
    """Collect the file of this name, and those that it imports."""
    if name in found:
        return
    place = finders.find(name)
    assert place, f"{name} is not there"
    found[name] = Path(place)
    if name.endswith(".js"):
        for other in IMPORT.findall(found[name].read_text()):
            with_imports(normpath(f"{dirname(name)}/{other}"), found)


def files_of(html):
    """Return the names of the static files a page asks for, and by name those and their imports."""
    # What a script loads later is named in data attributes.
    names = set(re.findall(r'\s(?:src|href)="/static/([^"#?]+)', html))
    files = {}
    for name in names:
        with_imports(name, files)
    return names, files


def check_weight(client, address, *parts):
    """Fail where the page weighs more than the budget; `parts` must be among its files."""
    html = client.get(address).text
    sent = client.get(address, headers=ASKED)
    assert sent.headers["Content-Encoding"] == "gzip"
    names, files = files_of(html)
    assert {"css/shared/base.css", "icons.svg", *parts} <= names
    sizes = {name: len(brotli.compress(path.read_bytes())) for name, path in files.items()}
    sizes["page"] = len(sent.content)
    total = sum(sizes.values())
    table = "\n".join(f"{size:7} {name}" for name, size in sorted(sizes.items()))
    print(f"{total} bytes of {BUDGET}\n{table}")  # noqa: T201 - shown with -s
    assert total <= BUDGET, f"{total} bytes:\n{table}"
