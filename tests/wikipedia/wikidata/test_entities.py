"""What is kept of one entity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wikipedia.wikidata.entities import date, item, prop, statement
from wikipedia.wikidata.entities import (
    EntityProblem,
    Property,
    Selection,
    WikidataItem,
    read_entity,
)
from wikipedia.wikidata.properties import ASKED, BadProperty, parse_properties
from wikipedia.wikidata.values import (
    UNKNOWN,
    clean_name,
    format_time,
    pack_statement,
    unpack_statement,
)

ENGLISH = Selection("en", frozenset({177, 84}))


def read(raw, selection=ENGLISH):
    return read_entity(raw, selection, selection.claims)


def dates_of(**qualifiers):
    (fact,) = read(item(5, statement(5, 177, 9, **qualifiers))).facts
    return fact.start, fact.end


def test_an_item_with_its_names_title_and_statements():
    raw = item(
        5,
        statement(5, 177, 9, rank="preferred"),
        statement(5, 31, 7),
        statement(5, 17, 8),  # a property that was not chosen
        title="Tower Bridge",
        aliases=["The bridge", "Tower  Bridge, London", "The bridge"],
        revision=33,
    )
    found = read(raw)
    assert isinstance(found, WikidataItem)
    assert found[:6] == (
        5, 33, "Item 5", ("The bridge", "Tower Bridge, London"), "Tower Bridge", None,
    )  # fmt: skip
    assert {(f.property, f.value, f.item, f.rank) for f in found.facts} == {
        (177, 9, 5, 1),
        (31, 7, 5, 0),
    }


def test_deprecated_unknown_and_other_values_are_not_kept():
    text = statement(5, 84, 1)
    text["mainsnak"]["datavalue"] = {"value": "Horace Jones", "type": "string"}
    lexeme = statement(5, 84, 1)
    lexeme["mainsnak"]["datavalue"]["value"] = {"entity-type": "lexeme", "id": "L1"}
    raw = item(
        5,
        statement(5, 177, 9, rank="deprecated"),
        statement(5, 177, "somevalue"),
        statement(5, 177, "novalue"),
        text,
        lexeme,
    )
    assert read(raw).facts == ()


def test_values_are_named_by_either_kind_of_id():
    old, new = statement(5, 177, 9), statement(5, 84, 8)
    del old["mainsnak"]["datavalue"]["value"]["id"]
    del new["mainsnak"]["datavalue"]["value"]["numeric-id"]
    assert {fact.value for fact in read(item(5, old, new)).facts} == {9, 8}


def test_maps_that_are_empty_may_be_lists():
    raw = item(5) | {key: [] for key in ("labels", "descriptions", "aliases", "claims")}
    raw["sitelinks"] = []
    assert read(raw) == WikidataItem(5, 1, None, (), None, None, ())


def test_names_that_are_the_same_in_many_languages_count():
    raw = item(5, label=None)
    raw["labels"]["mul"] = {"language": "mul", "value": "K2"}
    raw["aliases"] = {
        "en": [{"language": "en", "value": "The peak"}],
        "mul": [{"language": "mul", "value": "Chogori"}],
    }
    found = read(raw)
    assert (found.label, found.aliases) == ("K2", ("The peak", "Chogori"))
    assert read(raw, Selection("de", frozenset())).aliases == ("Chogori",)


def test_the_title_is_that_of_the_wiki_of_the_language():
    raw = item(5, title="Pons", wiki="zh_yuewiki")
    assert read(raw).title is None
    assert read(raw, Selection("zh-yue", frozenset())).title == "Pons"


def test_a_property_with_its_inverse():
    found = read(prop(144, "based on", 4969, 144))
    assert isinstance(found, Property)
    assert (found.id, found.label, found.inverses) == (144, "based on", (144, 4969))
    assert found.datatype == "wikibase-item"


@pytest.mark.parametrize(
    ("qualifiers", "expected"),
    [
        ({}, (None, None)),
        ({"P580": [date("+1894-06-30")]}, ("1894-06-30", None)),
        ({"P580": [date("+1894-06-00", 10)]}, ("1894-06", None)),
        ({"P580": [date("+1894-00-00", 9)], "P582": [date("+1901-00-00", 9)]}, ("1894", "1901")),
        ({"P580": [date("+1890-00-00", 8)]}, ("1890", None)),  # a decade
        ({"P585": [date("+1953-05-29")]}, ("1953-05-29", "1953-05-29")),
        ({"P585": [date("+1953-05-29")], "P582": [date("+1954-01-02")]}, (None, "1954-01-02")),
        ({"P582": [date("somevalue")]}, (None, UNKNOWN)),
        ({"P582": [date("novalue")]}, (None, None)),
        ({"P580": [date("somevalue")]}, (None, None)),
        ({"P580": [date("+1900-00-00", 9), date("+1890-00-00", 9)]}, ("1890", None)),
        ({"P582": [date("+1900-00-00", 9), date("+1890-00-00", 9)]}, (None, "1900")),
    ],
)
def test_when_something_began_and_ended(qualifiers, expected):
    assert dates_of(**qualifiers) == expected


@pytest.mark.parametrize(
    ("written", "precision", "expected"),
    [
        ("+1971-00-00", 9, "1971"),
        ("+1971-01-01", 9, "1971"),
        ("+1971-05-00", 11, "1971-05"),
        ("-0044-03-15", 11, "-0044-03-15"),
        ("+00000002013-01-01", 11, "2013-01-01"),
    ],
)
def test_times_have_their_precision(written, precision, expected):
    assert format_time({"time": f"{written}T00:00:00Z", "precision": precision}) == expected


@given(st.uuids(), st.booleans(), st.booleans(), st.integers(1, 10**9))
def test_ids_of_statements_come_back_as_they_were(number, small_letter, small_guid, owner):
    text = str(number) if small_guid else str(number).upper()
    text = f"{'q' if small_letter else 'Q'}{owner}${text}"
    stored = pack_statement(text, owner)
    assert unpack_statement(stored, owner) == text
    assert len(stored) in (16, 17)


def test_ids_of_another_form_are_kept_as_text():
    for text in ("Q6$x", "Q5$F078e5b3-F9A8-480E-B7AC-D97778CBBEF9", "P5$1"):
        assert pack_statement(text, 5) == text
        assert unpack_statement(text, 5) == text


def test_names_cannot_steer_how_they_are_shown():
    assert clean_name("a\u202eb\x00c\n d\u200d") == "abc d\u200d"


def broken(change):
    raw = item(5, statement(5, 177, 9))
    change(raw)
    return raw


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (7, "not an object"),
        ({"type": "item"}, "no id"),
        ({"type": "item", "id": "Q05"}, "no id"),
        ({"type": "item", "id": "P5"}, "neither an item nor a property"),
        ({"type": "else", "id": "Q5"}, "neither an item nor a property"),
        (broken(lambda raw: raw.update(claims=["P177"])), "claims is not a map"),
        (broken(lambda raw: raw.update(claims={"P177": [7]})), "Q5 has not the form"),
        (broken(lambda raw: raw["claims"]["P177"][0].pop("rank")), "KeyError"),
        (broken(lambda raw: raw["claims"]["P177"][0].update(rank="best")), "KeyError"),
        (broken(lambda raw: raw.update(lastrevid="new")), "lastrevid"),
        (broken(lambda raw: raw.update(labels={"en": "bridge"})), "TypeError"),
        (broken(lambda raw: raw.update(aliases={"en": {"value": "x"}})), "TypeError"),
        (broken(lambda raw: raw.update(sitelinks={"enwiki": {"title": 5}})), "AttributeError"),
        (item(5, statement(5, 177, 10**12)), "out of range"),
        (item(5, statement(5, 177, 9, P580=[date("yesterday")])), "cannot be read"),
    ],
)
def test_what_is_no_entity_says_why(raw, says):
    with pytest.raises(EntityProblem, match=says):
        read(raw)


def test_kinds_that_are_no_part_of_a_graph_are_passed_over():
    assert read({"type": "lexeme", "id": "L7"}) is None
    assert read({"id": "Q5", "missing": ""}) is None


def test_properties_are_named_as_people_write_them():
    assert parse_properties(" P84, p177 50") == {84, 177, 50}
    for text in ("", "Q5", "P0", "P84;P177"):
        with pytest.raises(BadProperty, match="not a property"):
            parse_properties(text)


def test_what_people_would_rather_not_be_listed_by_is_left_out():
    assert not {21, 27, 140, 172, 509, 1050, 1196, 1399} & ASKED.keys()
    assert not {31, 279} & ASKED.keys()
