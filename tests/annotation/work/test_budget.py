"""The work page and all its own files on first load: at most 150 KB uncompressed."""

import re
from pathlib import Path

from django.contrib.staticfiles import finders

from tests.annotation.work.conftest import form, url

BUDGET = 150 * 1024
# What is imported with import(…) comes only when it is wanted.
IMPORT = re.compile(r'(?:import|from)\s*"(\./[^"]+)"')


def with_imports(path, found):
    """The file, and what it imports."""
    if path in found:
        return
    found.add(path)
    if path.suffix == ".js":
        for name in IMPORT.findall(path.read_text()):
            with_imports((path.parent / name).resolve(), found)


def test_first_load(client_as, work, ann):
    client = client_as(ann)
    client.post(url("draft", work), form(work), headers={"HX-Request": "true"})
    answer = client.get(url("page", work))
    names = set(re.findall(r'(?:src|href)="/static/([^"#?]+)', answer.text))
    assert {"css/base.css", "js/work.js", "icons.svg"} <= names
    files = set()
    for name in names:
        found = finders.find(name)
        assert found, f"{name} is not there"
        with_imports(Path(found).resolve(), files)
    sizes = {path.name: path.stat().st_size for path in files} | {"page": len(answer.content)}
    total = sum(sizes.values())
    table = "\n".join(f"{size:7} {name}" for name, size in sorted(sizes.items()))
    assert total <= BUDGET, f"{total} bytes:\n{table}"
    print(f"{total} bytes of {BUDGET}\n{table}")  # noqa: T201 - shown with -s
