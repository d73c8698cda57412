"""What a graph answers: the same as sets of statements, compared one by one."""

import io
import json
import random
import tempfile
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wikipedia.wikidata.entities import (
    as_dump,
    as_lines,
    date,
    guid,
    item,
    prop,
    statement,
    write,
)
from wikipedia.wikidata.build import build_graph
from wikipedia.wikidata.closure import list_classes
from wikipedia.wikidata.dump import DumpSource
from wikipedia.wikidata.entities import Selection
from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.folders import graph_folder, list_graphs, open_graph
from wikipedia.wikidata.graph import FILE, Graph

RELATIONS = (50, 57, 84, 137, 177, 206)
CHOSEN = Selection("en", frozenset(RELATIONS))


def built(folder, entities, chance=None):
    lines = as_lines(entities)
    if chance is not None:
        chance.shuffle(lines)
    path = write(folder / "dump.json", as_dump(lines))
    about = build_graph(folder / "graph", DumpSource([path], CHOSEN))
    return about, Graph(folder / "graph" / FILE)


def test_the_four_reads(tmp_path):
    entities = [
        prop(144, "based on", 4969),
        prop(177, "crosses"),
        item(1, label="River", title="River Thames", aliases=["Thames"], revision=4),
        item(2, statement(2, 177, 1, rank="preferred", P580=[date("+1894-06-30")]), title="Tower"),
        item(3, statement(3, 177, 1), statement(3, 177, 1, number=1), statement(3, 84, 9)),
        item(9, label=None),
        item(10, statement(10, 31, 11)),  # of which nothing else is kept
    ]
    about, graph = built(tmp_path, entities)
    with graph:
        assert graph.find_items(177, 1) == [2, 3]
        assert graph.find_items(177, 9) == graph.find_items(50, 1) == []
        assert list(graph.scan_relation(177)) == [(1, [2, 3])]
        assert list(graph.scan_relation(177, least=3)) == []
        names = graph.find_entities([1, 9, 10, 77])
        assert names.keys() == {1, 9}
        assert (names[1].label, names[1].aliases, names[1].title, names[1].revision) == (
            "River", ("Thames",), "River Thames", 4,
        )  # fmt: skip
        assert names[9].label is None
        (said,) = graph.find_statements(2)
        assert (said.property, said.value, said.item, said.rank) == (177, 1, 2, 1)
        assert said.statement == f"Q2${guid(2, 177, 1, 0)}"
        assert (said.start, said.end) == ("1894-06-30", None)
        assert len(graph.find_proofs(177, 1, 3)) == 2
        assert [
            (each.property, each.subjects, each.answers, each.with_article)
            for each in graph.count_relations(least=2)
        ] == [(84, 0, 0, 0), (177, 1, 2, 1)]
        assert graph.list_properties()[177].label == "crosses"
        assert graph.list_inverses() == {(144, 4969), (4969, 144)}
        assert graph.about == about
    assert (about["items"], about["articles"], about["statements"], about["types"]) == (4, 2, 4, 0)


statements = st.lists(
    st.tuples(
        st.sampled_from(RELATIONS),
        st.integers(1, 12),
        st.sampled_from(["normal", "normal", "preferred", "deprecated"]),
        st.sampled_from(["value", "value", "value", "value", "somevalue", "novalue"]),
    ),
    max_size=5,
)
graphs = st.lists(
    st.tuples(
        statements,
        st.lists(st.integers(1, 20), max_size=2),  # classes
        st.lists(st.integers(1, 20), max_size=2),  # classes above
        st.booleans(),  # has an article
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=40)
@given(graphs, st.integers(0, 3), st.data())
def test_what_is_read_equals_sets_of_statements(drawn, seed, data):
    said, kinds, above, titled, entities = set(), set(), set(), set(), []
    for number, (rows, classes, parents, article) in enumerate(drawn, 1):
        made = []
        for n, (relation, value, rank, snaktype) in enumerate(rows):
            value = value if snaktype == "value" else snaktype
            made.append(statement(number, relation, value, rank, number=n))
            if rank != "deprecated" and snaktype == "value":
                said.add((number, relation, value))
        made += [statement(number, 31, value, number=n) for n, value in enumerate(classes)]
        made += [statement(number, 279, value, number=n) for n, value in enumerate(parents)]
        kinds |= {(number, value) for value in classes}
        above |= {(number, value) for value in parents}
        if article:
            titled.add(number)
        entities.append(item(number, *made, title=f"Title {number}" if article else None))
    if not said:
        return
    with tempfile.TemporaryDirectory() as folder:
        about, graph = built(Path(folder), entities)
        with graph:
            compare(graph, said, kinds, above, titled, data.draw(st.integers(1, 20)))
        (Path(folder) / "again").mkdir()
        again, other = built(Path(folder) / "again", entities, random.Random(seed))
        other.close()
        assert again["hash"] == about["hash"]


def compare(graph, said, kinds, above, titled, type_id):
    """Hold the reads of a graph against sets of statements, without any SQL."""
    below = {type_id}
    while more := {child for child, parent in above if parent in below} - below:
        below |= more
    typed = {number for number, kind in kinds if kind in below}
    denotations = defaultdict(set)
    for number, relation, value in said:
        denotations[relation, value].add(number)
    for relation in RELATIONS:
        ours = {value: items for (key, value), items in denotations.items() if key == relation}
        assert dict(graph.scan_relation(relation)) == {v: sorted(i) for v, i in ours.items()}
        of_type = {value: sorted(items & typed) for value, items in ours.items() if items & typed}
        assert dict(graph.scan_relation(relation, type_id=type_id)) == of_type
        for value in range(1, 13):
            items = ours.get(value, set())
            assert graph.find_items(relation, value) == sorted(items)
            assert graph.find_items(relation, value, type_id) == sorted(items & typed)
    counted = {
        each.property: (each.subjects, each.answers, each.with_article)
        for each in graph.count_relations(least=2)
    }
    wanted = {}
    for relation in {key for key, _ in denotations}:
        enough = [i for (key, _), i in denotations.items() if key == relation and len(i) >= 2]
        articles = sum(len(items & titled) for items in enough)
        wanted[relation] = (len(enough), sum(map(len, enough)), articles)
    assert counted == wanted
    named = {number for number, _, _ in said} | {value for _, _, value in said} | titled
    assert graph.find_entities(named).keys() <= named
    for number in named:
        rows = {(each.item, each.property, each.value) for each in graph.find_statements(number)}
        assert rows == {row for row in said if row[0] == number} | {
            (number, 31, kind) for item_, kind in kinds if item_ == number
        }


def test_classes_in_a_circle_are_each_below_the_others(tmp_path):
    circle = [item(n, statement(n, 279, n % 5 + 1)) for n in range(1, 6)]
    entities = [*circle, item(7, statement(7, 279, 3)), item(8, statement(8, 177, 9))]
    _, graph = built(tmp_path, entities)
    with graph, closing(graph._read):
        assert list_classes(graph._read, 1) == [1, 2, 3, 4, 5, 7]
        assert list_classes(graph._read, 7) == [7]
        assert list_classes(graph._read, 99) == [99]


def test_a_graph_is_never_written_to(make, dump, data_dir):
    make(dump)
    folder = graph_folder("small")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    (folder / FILE).chmod(0o400)
    with open_graph("small") as graph:
        assert graph.find_items(177, 1, 9) == []
        with pytest.raises(Exception, match="readonly"):
            graph._read.execute("DELETE FROM fact")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_what_is_no_graph_is_a_sentence(tmp_path, data_dir, make, dump):
    with pytest.raises(GraphProblem, match="There is no graph “none” here"):
        open_graph("none")
    folder = graph_folder("bad")
    folder.mkdir(parents=True)
    (folder / FILE).write_bytes(b"nothing of the sort" * 99)
    with pytest.raises(GraphProblem, match="cannot be read as a graph"):
        open_graph("bad")
    make(dump)
    with closing(__import__("sqlite3").connect(graph_folder("small") / FILE)) as store:
        store.execute("PRAGMA user_version = 7")
    with pytest.raises(GraphProblem, match="another version"):
        open_graph("small")
    with pytest.raises(CommandError, match="another version"):
        make(dump)
    assert make(dump, "--replace")["items"] == 7


def printed(*words):
    out = io.StringIO()
    call_command("wikidata_graphs", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_graphs_are_listed_shown_and_deleted(make, dump, data_dir):
    assert "There are no graphs here yet" in printed("list")
    made = make(dump)
    assert "small: 7 items, 6 statements, in en, from few.json" in printed("list")
    (listed,) = json.loads(printed("list", "--json"))
    assert listed["hash"] == made["hash"]
    assert "P177 crosses: 1 with 6 answers, 6 with an article" in printed("card", "small")
    card = json.loads(printed("card", "small", "--least", "7", "--json"))
    assert card["relations"] == [
        {"property": "P177", "label": "crosses", "subjects": 0, "answers": 0, "with_article": 0}
    ]
    with pytest.raises(CommandError, match="There are: small"):
        printed("delete", "other")
    assert "Deleted small." in printed("delete", "small")
    assert list_graphs() == []
    assert not graph_folder("small").exists()
