"""The graph of the demo's articles, and a graph from the result of one query."""

import json

import pytest
from django.core.management import CommandError

from wikipedia.demo.build import ARTICLES, HERE, path_of
from wikipedia.wikidata.folders import open_graph

DEMO = HERE / "wikidata.json"
THAMES, NASA = 900_000_032, 900_000_070
CROSSING, MOUNTAIN, SPACECRAFT, EVENT = 900_000_003, 900_000_004, 900_000_007, 900_000_006


@pytest.fixture
def demo(make):
    """The demo's graph, open."""
    make(DEMO, name="demo")
    with open_graph("demo") as graph:
        yield graph


def titles(graph, numbers):
    return {each.title for each in graph.find_entities(numbers).values()}


def test_the_crossings_of_the_thames(demo):
    assert titles(demo, demo.find_items(177, THAMES)) == {
        "London Bridge", "Tower Bridge", "Millennium Bridge, London", "Blackwall Tunnel",
        "Greenwich Foot Tunnel", "Thames Tunnel",
    }  # fmt: skip
    (proof,) = demo.find_proofs(177, THAMES, demo.find_items(177, THAMES)[0])
    assert proof.statement.startswith(f"Q{proof.item}$")


def test_sets_of_the_sizes_that_questions_are_tried_on(demo):
    operated = demo.find_items(137, NASA)
    assert (len(operated), len(titles(demo, operated) - {None})) == (7, 6)
    assert {value for value, _ in demo.scan_relation(177, least=5)} == {THAMES}
    by_type = {
        type_id: sum(
            any(said.property == 31 and said.value in classes for said in demo.find_statements(n))
            for n in range(900_000_000, 900_000_100)
        )
        for type_id, classes in (
            (MOUNTAIN, {MOUNTAIN, MOUNTAIN + 1}),
            (EVENT, {EVENT}),
        )
    }
    assert by_type == {MOUNTAIN: 7, EVENT: 6}
    assert max(len(items) for _, items in demo.scan_relation(463)) == 4
    # The space probes are spacecraft, the space missions too.
    assert len(demo.find_items(137, NASA, SPACECRAFT)) == 7
    # A tunnel is a crossing by way of two classes that are each below the other.
    assert len(demo.find_items(177, THAMES, CROSSING)) == 6


def test_ids_are_invented_and_titles_are_those_of_the_articles():
    entities = [json.loads(line.rstrip(",")) for line in DEMO.read_text().splitlines()[1:-1]]
    numbers = [int(each["id"][1:]) for each in entities if each["type"] == "item"]
    assert min(numbers) > 900_000_000
    titled = [each["sitelinks"]["enwiki"]["title"] for each in entities if each.get("sitelinks")]
    assert len(titled) > 45
    for title in titled:
        assert (ARTICLES / f"{path_of(title)}.html").is_file()


def row(number, statement="F078E5B3-F9A8-480E-B7AC-D97778CBBEF9", **changed):
    """Return a row as the query service gives it."""
    entity = "http://www.wikidata.org/entity/"
    values = {
        "property": f"{entity}P177",
        "item": f"{entity}Q{number}",
        "itemLabel": f"Bridge {number}",
        "itemAltLabel": f"Old bridge {number}, The {number}",
        "value": f"{entity}Q1",
        "valueLabel": "River Thames",
        "statement": f"{entity}statement/Q{number}-{statement}",
        "rank": "http://wikiba.se/ontology#NormalRank",
        "article": f"https://en.wikipedia.org/wiki/Bridge_{number}_%28London%29",
    } | changed
    return {key: {"type": "literal", "value": value} for key, value in values.items() if value}


@pytest.fixture
def result(tmp_path):
    """Write rows as a file of the query service: result(row, …)"""

    def written(*rows):
        path = tmp_path / "result.json"
        head = {"vars": sorted({name for each in rows for name in each})}
        path.write_text(json.dumps({"head": head, "results": {"bindings": rows}}))
        return path

    return written


def test_the_result_of_one_query(make, result):
    rows = [
        row(2, **{"class": "http://www.wikidata.org/entity/Q12"}),
        row(2, **{"class": "http://www.wikidata.org/entity/Q13"}),
        row(3, start="1831-08-01T00:00:00Z", end="1967-01-01T00:00:00Z"),
        row(4, rank="http://wikiba.se/ontology#DeprecatedRank"),
        row(5, rank="http://wikiba.se/ontology#PreferredRank", itemLabel="Q5", article=None),
        row(6, value="http://www.wikidata.org/.well-known/genid/1"),
    ]
    found = make(result(*rows), "--sparql")
    assert (found["items"], found["statements"], found["types"]) == (4, 3, 2)
    with open_graph("small") as graph:
        assert graph.find_items(177, 1) == [2, 3, 5]
        assert graph.find_items(177, 1, 13) == [2]
        names = graph.find_entities([1, 2, 5])
        assert (names[2].label, names[2].title) == ("Bridge 2", "Bridge 2 (London)")
        assert names[2].aliases == ("Old bridge 2", "The 2")
        assert (names[5].label, names[5].title) == (None, None)
        (said,) = graph.find_proofs(177, 1, 3)
        assert said.statement == "Q3$F078E5B3-F9A8-480E-B7AC-D97778CBBEF9"
        assert (said.start, said.end) == ("1831-08-01", "1967")
        assert [each.rank for each in graph.find_proofs(177, 1, 5)] == [1]
    again = make(result(*reversed(rows)), "--sparql", name="again")
    assert again["hash"] == found["hash"]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "result.json has 0 properties"),
        ([row(2), row(3, property="http://www.wikidata.org/entity/P84")], "has 2 properties"),
        ([row(2, property="P177")], "has 1 properties"),
        ([row(2), row(3, statement="x", rank=None)], "result.json, row 2: it has not the form"),
        ([row(2, rank="http://wikiba.se/ontology#DeprecatedRank")], "none says of an item"),
    ],
)
def test_results_of_other_queries_are_refused(make, result, rows, says):
    with pytest.raises(CommandError, match=says) as caught:
        make(result(*rows), "--sparql")
    assert caught.value.returncode == 2


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"results": {"bindings": [1]}}', "<html>"])
def test_what_is_no_result_is_refused(make, tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(CommandError, match="is not the result of the query"):
        make(path, "--sparql")


def test_the_query_in_the_documents_asks_for_what_is_read():
    query = (ARTICLES.parents[2] / "docs" / "relation.rq").read_text()
    asked = {word[1:] for word in query.split("WHERE")[0].split() if word.startswith("?")}
    read = {*row(2), "class", "start", "end", "valueAltLabel", "valueArticle"}
    assert read <= asked
    assert asked - read == {"itemDescription", "valueDescription"}
