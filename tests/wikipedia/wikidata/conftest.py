import io
import json

import pytest
from django.core.management import call_command

from tests.wikipedia.wikidata.entities import as_dump, as_lines, item, prop, statement, write


@pytest.fixture
def data_dir(settings, tmp_path):
    """Graphs of this test alone."""
    settings.AMBIT_DATA = tmp_path / "data"
    return settings.AMBIT_DATA


@pytest.fixture
def make(data_dir):
    """Make a graph by the command and return what it prints: make(FILE, "--replace")"""

    def made(*args, name="small", processes=0):
        out = io.StringIO()
        given = ["--name", name, "--processes", processes, "--json", *args]
        call_command("wikidata_graph", *map(str, given), stdout=out, stderr=out)
        return json.loads(out.getvalue())

    return made


@pytest.fixture
def few():
    """Entities of which something is kept."""
    return [
        prop(177, "crosses"),
        item(1, label="River", title="River Thames"),
        *(item(n, statement(n, 177, 1), title=f"Bridge {n}") for n in range(2, 8)),
        item(8, statement(8, 31, 9)),
    ]


@pytest.fixture
def dump(tmp_path, few):
    """A file of these entities."""
    return write(tmp_path / "few.json", as_dump(as_lines(few)))
