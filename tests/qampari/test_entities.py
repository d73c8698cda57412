"""Whether the entities of a synthetic question stay in its paraphrase."""

import pytest

from qampari.entities import (
    Entity,
    guess_entities,
    in_words,
    list_missing_entities,
    normalise_text,
    of_context,
)
from tests.growth import growth

RENNIE = Entity("John Rennie the Elder", ("John Rennie", "Rennie"))


@pytest.mark.parametrize(
    ("entity", "paraphrase"),
    [
        (RENNIE, "Which bridges did John Rennie the Elder design?"),
        (RENNIE, "Which bridges are by JOHN RENNIE?"),
        (RENNIE, "What are Rennie's bridges?"),
        (RENNIE, "What are Rennie’s bridges?"),
        (Entity("Beyoncé"), "Which songs did Beyonce write?"),
        (Entity("Beyonce"), "Which songs did Beyoncé write?"),
        (Entity("Spider-Man"), "Who played Spider Man?"),
        (Entity("The Hague"), "Which courts are in Hague?"),
        (Entity("Straße"), "Which STRASSE is it?"),
        (Entity("!!!"), "What did !!! record"),
        (Entity("東京"), "東京 で"),
    ],
)
def test_a_form_of_the_entity_is_found(entity: Entity, paraphrase: str) -> None:
    assert list_missing_entities([entity], paraphrase) == []


@pytest.mark.parametrize(
    ("entity", "paraphrase"),
    [
        (RENNIE, "Which bridges did he design?"),
        (Entity("art"), "Who was at the party?"),
        (Entity("Paris"), "What is in Parisian suburbs?"),
        (Entity("New York City"), "What is in New York and the City?"),
        (Entity("1843"), "What opened in 1844?"),
        (Entity("The Band"), ""),
    ],
)
def test_an_entity_that_is_gone_is_named(entity: Entity, paraphrase: str) -> None:
    assert list_missing_entities([entity], paraphrase) == [entity]


def test_of_several_only_the_missing_ones_are_named_in_their_order() -> None:
    given = [Entity("Leith"), RENNIE, Entity("Kelso")]
    gone = list_missing_entities(given, "Which bridges in Leith are there?")
    assert gone == [RENNIE, Entity("Kelso")]
    assert in_words(gone) == "“John Rennie the Elder” and “Kelso”"
    assert in_words(given) == "“Leith”, “John Rennie the Elder” and “Kelso”"
    assert in_words([]) == ""


def test_an_entity_without_a_form_asks_for_nothing() -> None:
    assert list_missing_entities([Entity(""), Entity("   ")], "Anything?") == []


def test_plain_words() -> None:
    assert normalise_text("  The Café's “Blue-Note”! ") == "the cafe s blue note"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who is or was a member of the Great Northern Railway?", ["Great Northern Railway"]),
        ("Which bridges did John Rennie the Elder design?", ["John Rennie the Elder"]),
        ("What was built in 1843 in Leith?", ["1843", "Leith"]),
        ("Who wrote “the long way down”?", ["the long way down"]),
        ("what is it", []),
        ("", []),
    ],
)
def test_names_are_guessed_from_capitals(question: str, names: list[str]) -> None:
    assert [entity.name for entity in guess_entities(question)] == names


def test_entities_of_a_record() -> None:
    rows = [{"entity_text": "Leith", "aliases": ["Port of Leith", 5]}, "Kelso", {"name": ""}, 7]
    assert of_context({"entities": rows}) == [Entity("Leith", ("Port of Leith",)), Entity("Kelso")]
    assert of_context({}) == []
    assert of_context({"entities": "Leith"}) == []
    assert of_context({"entities": 5}) == []


@pytest.mark.parametrize("piece", ["“", '"a', "“a” ", "A of ", "Of the ", "A.", "1"])
def test_guessing_takes_time_in_proportion_to_the_question(piece: str) -> None:
    assert growth(guess_entities, lambda size: "Who is " + piece * size, 3_000) < 8
