"""Wrong answers for questions that were made from a graph look right."""

from random import Random

import pytest

from annotation.stages.gold_items import Host
from qampari.golds import WrongAnswers
from qampari.made_from import MadeFrom, read_made_from
from qampari.models import Candidate
from qampari.rows import replace_answer_rows
from qampari.stages.check import CHECK
from tests import factories

pytestmark = pytest.mark.django_db
ACROSS, BY = ["P177/Q12280", "P84/Q811979"]


def ask(project, name, answers, key="", subject="Q1", unproven=()):
    rows = [{"answer_text": text, "aliases": [], "proof": []} for text in answers]
    made = {"queries": [[key, subject]], "unproven": list(unproven)}
    question = factories.make_question(
        project,
        text=f"Which are of {name}?",
        split="train",
        external_id=f"{name}__wikidata_simple__train",
        context={"answer_list": rows} | ({"making": made} if key else {}),
    )
    replace_answer_rows([question])
    return question


def draw_wrong(project, *questions, seed=1):
    """Return for each question which question its wrong answer is from, and the answer."""
    hosts = [Host(number, each.pk, "0", "train") for number, each in enumerate(questions)]
    golds = WrongAnswers.__new__(WrongAnswers)
    golds.stage = CHECK
    drawn = golds.make_wrong_copies(hosts, draw=Random(seed))
    return [
        (drawn[host.task].origin, drawn[host.task].content["text"]) if host.task in drawn else None
        for host in hosts
    ]


@pytest.fixture
def project():
    return factories.make_project(protocol="qampari")


@pytest.mark.parametrize("seed", range(6))
def test_the_same_relation_about_something_else_comes_first(project, seed):
    thames = ask(project, "thames", ["Tower Bridge", "London Bridge"], ACROSS)
    tyne = ask(project, "tyne", ["Swing Bridge", "Tower Bridge"], ACROSS, "Q2")
    ask(project, "brunel", [f"Viaduct {n}" for n in range(9)], BY, "Q3")
    ask(project, "lists", [f"Thing {n}" for n in range(9)])
    # Tower Bridge is an answer to both, so it is wrong for neither.
    assert draw_wrong(project, thames, seed=seed) == [(tyne.pk, "Swing Bridge")]


def test_what_the_graph_has_as_an_answer_is_not_wrong(project):
    thames = ask(project, "thames", ["Tower Bridge"], ACROSS, unproven=["The Swing Bridge"])
    ask(project, "tyne", ["Swing Bridge"], ACROSS, "Q2")
    other = ask(project, "brunel", ["Viaduct"], BY, "Q3")
    assert draw_wrong(project, thames) == [(other.pk, "Viaduct")]


def test_other_questions_have_any_answer_of_their_kind(project):
    thames = ask(project, "thames", ["Tower Bridge"], ACROSS)
    plain = ask(project, "lists", ["Thing"])
    assert draw_wrong(project, plain, thames) == [(thames.pk, "Tower Bridge"), (plain.pk, "Thing")]
    assert Candidate.objects.count() == 2


@pytest.mark.parametrize(
    "said",
    [None, [], "x", {}, {"queries": []}, {"queries": [[1, "Q1"]]}, {"queries": ["P177"]},
     {"queries": [["P177", "Q1"], 5]}, {"queries": [["P177", "Q1"]], "unproven": "all"}],
)  # fmt: skip
def test_what_anybody_wrote_into_a_file_breaks_nothing(said):
    assert read_made_from(said) is None


def test_what_a_record_says_of_its_graph():
    said = {"queries": [["P84", "Q2"], ["P177", "Q1"]], "unproven": ["The Swing Bridge", 5]}
    assert read_made_from(said) == MadeFrom(("P177", "P84"), frozenset({"swing bridge"}))
