"""The demo's prompts and guidelines: what they ask is answered by the demo's articles."""

import html
import json
import re
from collections import Counter

import pytest

from annotation.projects.services import GUIDELINES
from demo.loading import FILES
from wikipedia.demo.build import load_articles

AMBIGUITIES = {
    "event-references",
    "properties",
    "entity-references",
    "answer-types",
    "time-dependency",
    "multiple-sub-questions",
}
CLEAR = {"unambiguous", "unanswerable"}

# What an annotator can find for each prompt that is open: (article, words on its page).
PLAUSIBLE = {
    "demo-001": [
        ("Thames Tunnel", "25 March 1843"),
        ("Thames Tunnel", "7 December 1869"),
        ("Thames Tunnel", "27 April 2010"),
    ],
    "demo-002": [
        ("Millennium Bridge, London", "10 June 2000"),
        ("Millennium Bridge, London", "22 February 2002"),
        ("Gateshead Millennium Bridge", "17 September 2001"),
    ],
    "demo-003": [
        ("Grand National", "One For Arthur"),
        ("Grand National", "Derek Fox"),
        ("Grand National", "Lucinda Russell"),
        ("Grand National", "Rule The World"),
        ("Grand National", "Many Clouds"),
    ],
    "demo-004": [
        ("Mount Everest", "8,848 m"),
        ("Mount Everest", "8,844.43 m"),
        ("Mount Everest", "8,848.86 m"),
    ],
    "demo-005": [
        ("Frankenstein (1931 film)", "Colin Clive"),
        ("Frankenstein (1931 film)", "Boris Karloff"),
    ],
    "demo-006": [
        ("Isambard Kingdom Brunel", "9 April 1806"),
        ("Marc Isambard Brunel", "25 April 1769"),
    ],
    "demo-007": [
        ("FIFA World Cup", "Germany"),
        ("FIFA World Cup", "Spain"),
        ("FIFA World Cup", "Italy"),
        ("FIFA Women's World Cup", "United States"),
        ("FIFA Women's World Cup", "Japan"),
    ],
    "demo-008": [
        ("King Kong (1933 film)", "2 March 1933"),
        ("King Kong (1976 film)", "17 December 1976"),
        ("King Kong (2005 film)", "5 December 2005"),
    ],
    "demo-009": [("Forth Bridge", "57"), ("Forth Bridge", "73")],
    "demo-010": [
        ("Robert Louis Stevenson", "Edinburgh"),
        ("Robert Louis Stevenson", "13 November 1850"),
    ],
    "demo-011": [("Mount Everest", "Edmund Hillary"), ("Mount Everest", "Junko Tabei")],
    "demo-012": [("Apollo 13", "Jim Lovell"), ("Apollo 13 (film)", "Tom Hanks")],
    "demo-013": [
        ("Hallelujah (Leonard Cohen song)", "John Cale"),
        ("Hallelujah (Leonard Cohen song)", "Rufus Wainwright"),
    ],
    "demo-014": [
        ("Queensferry Crossing", "30 August 2017"),
        ("Queensferry Crossing", "4 September 2017"),
    ],
    "demo-015": [
        ("All Along the Watchtower", "Bob Dylan"),
        ("All Along the Watchtower", "The Jimi Hendrix Experience"),
        ("All Along the Watchtower", "Jimi Hendrix"),
    ],
    "demo-021": [("River Thames", "346 km"), ("River Thames", "369 km")],
    "demo-022": [("The Boat Race", "Oxford"), ("The Boat Race", "Cambridge")],
    "demo-023": [
        ("Wimbledon Championships", "Andy Murray"),
        ("Wimbledon Championships", "Serena Williams"),
    ],
    "demo-024": [("Georgia (country)", "Tbilisi"), ("Georgia (U.S. state)", "Atlanta")],
    "demo-025": [
        ("Bell Rock Lighthouse", "Robert Stevenson"),
        ("Bell Rock Lighthouse", "John Rennie"),
    ],
    "demo-026": [
        ("Treasure Island", "October 1881"),
        ("Treasure Island", "14 November 1883"),
    ],
    "demo-027": [("Tour de France", "Chris Froome"), ("Tour de France", "2016")],
}


@pytest.fixture(scope="module")
def pages():
    """The words of every article, by title."""
    return {
        article.title: " ".join(html.unescape(re.sub(r"<[^>]+>", " ", article.body)).split())
        for article in load_articles()
    }


@pytest.fixture(scope="module")
def questions():
    lines = (FILES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


# Prompts


def test_there_are_thirty_prompts_in_two_splits(questions):
    assert [q["id"] for q in questions] == [f"demo-{n:03d}" for n in range(1, 31)]
    assert len({q["question"].lower() for q in questions}) == 30
    assert Counter(q["split"] for q in questions) == {"dev": 20, "train": 10}
    for question in questions:
        assert set(question) <= {"id", "question", "split", "types", "answers"}


def test_prompts_cover_every_type_of_ambiguity(questions):
    types = Counter(name for question in questions for name in question["types"])
    assert set(types) == AMBIGUITIES | CLEAR
    assert types["unambiguous"] >= 4
    assert types["unanswerable"] >= 3
    for question in questions:
        clear = CLEAR & set(question["types"])
        assert not clear or len(question["types"]) == 1, question["id"]
        assert len(set(question["types"])) == len(question["types"]) > 0


def test_known_answers_are_on_some_page(questions, pages):
    for question in questions:
        if question["types"] == ["unanswerable"]:
            assert "answers" not in question
        if question["types"] == ["unambiguous"]:
            assert question["answers"]
        for answer in question.get("answers", []):
            assert any(answer in page for page in pages.values()), (question["id"], answer)


def test_every_open_prompt_has_several_answers_in_the_articles(questions, pages):
    opened = {q["id"] for q in questions if AMBIGUITIES & set(q["types"])}
    assert set(PLAUSIBLE) == opened
    for name, found in PLAUSIBLE.items():
        assert len({answer for _, answer in found}) >= 2, name
        for title, answer in found:
            assert answer in pages[title], (name, title, answer)


def test_prompts_are_written_as_people_type_them(questions):
    """Most lack the capital and the question mark, so that the display form matters."""
    texts = [question["question"] for question in questions]
    assert sum(text[0].islower() for text in texts) >= 15
    assert sum(not text.endswith("?") for text in texts) >= 15
    assert any(text[0].isupper() and text.endswith("?") for text in texts)


# Guidelines


@pytest.fixture(scope="module")
def guidelines():
    return (GUIDELINES / "ambigqa.md").read_text(encoding="utf-8")


def test_guidelines_have_the_four_tabs(guidelines):
    assert re.findall(r"^## (.*)$", guidelines, re.MULTILINE) == [
        "Overview",
        "Examples",
        "FAQ",
        "Bonuses",
    ]
    assert guidelines.startswith("## Overview\n")


def test_guidelines_do_not_work_a_prompt_of_the_demo(guidelines, questions):
    text = guidelines.lower()
    for question in questions:
        assert question["question"].lower().rstrip("?") not in text


def test_answers_in_the_guidelines_are_on_some_page(guidelines, pages):
    rows = re.findall(r"^\| [^|]+\? \| ([^|]+) \|$", guidelines, re.MULTILINE)
    singles = re.findall(r"Answer: \*\*(.+?)\*\*", guidelines)
    assert len(rows) >= 6
    assert len(singles) >= 2
    for answer in rows + singles:
        assert any(answer in page for page in pages.values()), answer


def test_guidelines_promise_no_amount(guidelines):
    bonuses = guidelines.partition("## Bonuses")[2]
    assert not re.search(r"\d|[$£€]", bonuses)
