"""Automatic figures of systems: counted by hand, over what each system gave."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import LongAnswer, Question
from evaluation.results.automatic import read_answers
from evaluation.scores.automatic import score_answers
from evaluation.scores.measuring import score_systems
from evaluation.scores.values import Details, identify_text
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from validation.decisions import services as decisions_services
from validation.verdicts.responses import AnswerRow, Form, ProposedSet, ValidationResult

CONTEXT = {
    "qa_pairs": [
        {"question": "When did it open to walkers?", "short_answers": ["1843", "in 1843"]},
        {"question": "When did it open to trains?", "short_answers": ["1869"]},
    ],
    "annotations": [{"long_answer": "It opened to walkers in 1843 and to trains in 1869."}],
}


@pytest.fixture
def project(db):
    return asqa.make_project()


@pytest.fixture
def question(project):
    return asqa.make_question(project, context=CONTEXT, external_id="q1")


def figures(project, *systems):
    """The value and n of each figure of the systems."""
    rows = score_systems(project, "dev", list(systems))
    return [{name: (score.value, score.n) for name, score in row.figures.items()} for row in rows]


def test_each_figure_is_as_counted_by_hand(project, question):
    second = asqa.make_question(project, context=CONTEXT, external_id="q2")
    reader = studies.make_system(project, "Reader")
    pairs = [["When did it open to walkers?", "1843"], ["When did it close?", "1900"]]
    details = {"pairs": pairs, "passages": ["Built from 1825.", "Trains came in 1869."]}
    studies.make_output(reader, question, "It opened in 1843.", details=details)
    studies.make_output(
        reader, second, CONTEXT["annotations"][0]["long_answer"], details={"answers": ["1869"]}
    )
    (found,) = figures(project, reader)

    # P 1/2, R 1/2; then P 1, R 1/2: F1 1/2 and 2/3.
    assert found["f1_answer"] == (pytest.approx(100 * (1 / 2 + 2 / 3) / 2), 2)
    assert found["str_em"] == (75.0, 2)
    assert found["length"] == (7.5, 2)  # 4 and 11 words
    # The second text is the reference itself, which is not compared with itself.
    assert found["rouge_l"][1] == 1
    assert [found[f"arecall.{depth}"] for depth in (1, 5, 10)] == [(0.0, 2), (25.0, 2), (25.0, 2)]
    assert found["f1_edit"] == (pytest.approx(25.0), 2)  # the first pair's question is exact


def test_answers_and_pairs_are_scored_as_the_official_script_does(project, question):
    """A81 to A84, A86, A95: over all and over multi, where nothing accepted is a single answer."""
    single = {"qa_pairs": [{"question": "When did it open?", "short_answers": ["1843"]}]}
    other = asqa.make_question(project, context=single, external_id="q2")
    system = studies.make_system(project, "Reader")
    walkers, trains = (pair["question"] for pair in CONTEXT["qa_pairs"])
    studies.make_output(
        system, question, "x", details={"pairs": [[walkers, "1843"], [walkers, "in 1843"]]}
    )
    studies.make_output(
        system, other, "x", details={"pairs": [["When?", "1843"], [trains, "1 May 1900"]]}
    )
    (found,) = figures(project, system)

    # One of two predictions counts, of two accepted; then one of two, of one: F1 1/2 and 2/3.
    assert found["f1_answer"] == (pytest.approx(100 * (1 / 2 + 2 / 3) / 2), 2)
    assert found["f1_answer.multi"] == (pytest.approx(50), 1)
    assert found["f1_edit"] == (pytest.approx(50), 1)  # one question is exact
    assert [found[f"f1_bleu{n}"] for n in (1, 4)] == [(pytest.approx(50), 1)] * 2
    assert (found["precision_answer"], found["precision_answer.multi"]) == ((50, 2), (50, 1))
    assert (found["recall_answer"], found["recall_answer.multi"]) == ((75, 2), (50, 1))
    assert (found["answers"], found["gold_answers"]) == ((2, 2), (1.5, 2))
    assert (found["answer_words"], found["answer_words.multi"]) == ((3.5, 2), (3, 1))
    assert (found["gold_answer_words"], found["gold_answer_words.multi"]) == ((1.5, 2), (2, 1))
    (row,) = score_systems(project, "dev", [system])
    assert "|questions:answered, multi|" in row.figures["f1_edit"].signature
    assert "|questions:answered|" in row.figures["f1_answer"].signature


def test_an_oracle_is_not_scored_against_the_writer_whose_knowledge_it_read(project, question, now):
    """S41: as people are not scored against themselves; alike in scores and in studies."""
    texts = ["It opened to walkers in 1843.", "Nobody has ever known when it was."]
    for text in texts:
        LongAnswer.objects.create(question=question, text=text, created_at=now)
    told = [*texts, CONTEXT["annotations"][0]["long_answer"]]
    values = {}
    for number, known in enumerate(["", *told]):
        details = {"knowledge_of": identify_text(known)} if known else {}
        system = studies.make_system(project, f"Oracle {number}")
        studies.make_output(system, question, "It opened to walkers in 1843!", details=details)
        study = studies.make_study(project, [system])
        studies.make_item(study, question, system)
        [answer] = read_answers(study)
        assert answer.others == [text for text in told if text != known]
        values[known] = figures(project, system)[0]["rouge_l"][0]
        assert values[known] == score_answers([answer])["rouge_l"][str(system)]["q1"]
    assert values[""] == values[texts[1]] == values[told[2]] == 100
    assert values[texts[0]] < 71


def test_where_the_oracle_read_the_only_writer_it_has_no_rouge_l(project, question):
    known = identify_text(CONTEXT["annotations"][0]["long_answer"])
    system = studies.make_system(project, "Oracle")
    studies.make_output(system, question, "In 1843.", details={"knowledge_of": known})
    assert "rouge_l" not in figures(project, system)[0]


def test_a_system_has_only_the_figures_that_its_answers_allow(project, question):
    imported, answering = studies.make_system(project, "A"), studies.make_system(project, "B")
    studies.make_output(imported, question, "In 1843.")
    studies.make_output(answering, question, "1843", details={"answers": ["1843", "1869"]})
    plain = asqa.make_question(project, context={}, external_id="q2")
    studies.make_output(imported, plain, "Nobody knows.")

    first, second = figures(project, imported, answering)
    assert first.keys() == {"str_em", "rouge_l", "length"}
    assert (first["length"], first["str_em"]) == ((2.0, 2), (50.0, 1))
    assert second["f1_answer"] == (100.0, 1)
    assert {"f1_edit", "f1_bleu4"}.isdisjoint(second)


def test_what_is_accepted_is_right_where_a_question_came_without_disambiguations(db, now):
    project = factories.make_project()
    question = factories.make_question(project, external_id="q1", state="accepted")
    row = AnswerRow("a", forms=(Form("25 March 1843"),))
    result = ValidationResult((ProposedSet("single", (row,)),), "edit", excluded=False)
    decisions_services.decide_question(
        question=question, result=result, said=[], source="staff", by=None, now=now
    )
    system = studies.make_system(project, "Reader")
    studies.make_output(system, question, "x", details={"answers": ["25 March 1843", "1900"]})
    assert figures(project, system)[0]["f1_answer"] == (pytest.approx(100 * 2 / 3), 1)


def test_questions_of_other_splits_and_excluded_ones_do_not_count(project, question):
    system = studies.make_system(project, "Reader")
    studies.make_output(system, question, "In 1843.")
    for fields in ({"split": "test"}, {"state": Question.State.EXCLUDED}):
        other = asqa.make_question(project, context=CONTEXT, **fields)
        studies.make_output(system, other, "Nothing of it at all.")
    (row,) = score_systems(project, "dev", [system])
    assert (row.answers, row.questions, row.figures["length"].value) == (1, 1, 2.0)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"knowledge_of": "a" * 32},
        {"answers": ["1843"], "pairs": [["When?", "1843"]], "passages": ["It opened."]},
    ],
)
def test_details_are_stored_as_they_are_read(data):
    stored = Details.from_stored(data).as_json()
    assert json.loads(json.dumps(stored)) == data


def test_the_command_prints_the_same_figures(project, question, capsys):
    studies.make_output(studies.make_system(project, "Reader", version="2"), question, "In 1843.")
    call_command("system_scores", project.slug, split="dev", json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["system"], row["version"], row["answers"], row["questions"]) == (
        "Reader",
        "2",
        1,
        1,
    )
    found = row["figures"]["str_em"]
    assert found.pop("signature").startswith("outputs.str_em|items:all|questions:answered|v:")
    few = {"low": None, "high": None, "note": "too few to tell"}
    assert found == {"value": 50.0, "n": 1} | few
    call_command("system_scores", project.slug, split="dev")
    assert ["STR-EM", "50.0", "too", "few", "to", "tell", "n", "1"] in map(
        str.split, capsys.readouterr().out.splitlines()
    )
    with pytest.raises(CommandError, match="No system “Nobody” has answered a question of dev"):
        call_command("system_scores", project.slug, split="dev", system="Nobody")
