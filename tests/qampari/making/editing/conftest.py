"""A project of lists, a member of its staff, and a small graph that Ambit's relations fit."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from qampari.making.relations import list_shipped_relations
from tests import factories
from tests.modeling.conftest import chat, naps  # noqa: F401 - fixtures
from tests.qampari import factories as lists
from tests.wikipedia.wikidata.entities import as_dump, as_lines, item, prop, statement, write

CROSSES = next(each for each in list_shipped_relations() if each.property == 177)


@pytest.fixture
def project(db):
    return lists.make_project(slug="lists")


@pytest.fixture
def rosa(project):
    return factories.make_member(project, "researcher")


def make_graph(folder, name="bridges"):
    """Make a graph in which 3 rivers are crossed: by 5, 6 and 9 bridges; one film has a set."""
    rows = [item(900_003_000 + n, label=f"River {n}") for n in (1, 2, 3)]
    rows += [item(12_280, label="bridge"), item(900_003_004, label="River 4")]
    places = iter(range(900_003_100, 900_003_200))
    for river, bridges in ((1, 6), (2, 5), (3, 9), (4, 4)):
        rows += [
            item(
                n, statement(n, 31, 12_280), statement(n, 177, 900_003_000 + river),
                label=f"Bridge {n}",
            )
            for n in (next(places) for _ in range(bridges))
        ]  # fmt: skip
    rows += [
        item(n, statement(n, 31, 11_446), statement(n, 177, 900_003_001), label=f"Ferry {n}")
        for n in (900_003_201, 900_003_202)
    ]
    rows += [prop(177, "crosses")]
    dump = write(folder / f"{name}.json", as_dump(as_lines(rows)))
    words = [str(dump), "--name", name, "--processes", "0"]
    call_command("wikidata_graph", *words, stdout=StringIO(), stderr=StringIO())
    return name


@pytest.fixture
def graph(settings, tmp_path):
    settings.AMBIT_DATA = tmp_path
    return make_graph(tmp_path)


@pytest.fixture
def words():
    """What the form of the relation “crosses” is sent with, changed by keywords."""

    def words(**changes):
        names = ("question", "statement", "noun", "phrase", "values", "time")
        values = {name: getattr(CROSSES, name) for name in names}
        values |= {"cues": ", ".join(CROSSES.cues), "included": "on", "version": 0}
        values |= changes
        return {name: value for name, value in values.items() if value is not None}

    return words


@pytest.fixture
def address(project):
    def address(place="", **query):
        name = "made-relation" if place else "made-relations"
        found = reverse(name, args=[project.slug, *filter(None, [place])])
        return f"{found}?graph=bridges" + "".join(f"&{key}={value}" for key, value in query.items())

    return address
