"""The validation page and all its own files on first load: at most 150 KB uncompressed."""

import re
from pathlib import Path

from django.contrib.staticfiles import finders

from tests.annotation.work.test_budget import BUDGET, with_imports


def test_first_load(browser):
    html = browser.open().html
    names = set(re.findall(r'(?:src|href)="/static/([^"#?]+)', html))
    assert {"css/validation.css", "js/validation.js", "icons.svg"} <= names
    files = set()
    for name in names:
        found = finders.find(name)
        assert found, f"{name} is not there"
        with_imports(Path(found).resolve(), files)
    sizes = {path.name: path.stat().st_size for path in files} | {"page": len(html.encode())}
    total = sum(sizes.values())
    table = "\n".join(f"{size:7} {name}" for name, size in sorted(sizes.items()))
    assert total <= BUDGET, f"{total} bytes:\n{table}"
    print(f"{total} bytes of {BUDGET}\n{table}")  # noqa: T201 - shown with -s
