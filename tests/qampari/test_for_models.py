"""Questions with many answers as baselines are asked them, and what becomes of their lists."""

import pytest
from django.utils import timezone

from evaluation.models import Output
from modeling.base import ArticlePassage, BaselineQuestion
from modeling.services import running
from modeling.services.storing import RunReport
from qampari.for_models import build_inputs, read_examples
from tests.factories import make_member
from tests.modeling import corpora
from tests.qampari import factories, paraphrasing

pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def project():
    return factories.make_project()


def accept(question):
    question.state = "accepted"
    question.save()
    return question


def passage(question, town):
    text = question.context["answer_list"][0]["proof"][0]["proof_text"]
    return ArticlePassage("", f"{town} Bridge", text.replace("Kelso", town))


def test_accepted_answers_come_with_their_proofs_and_all_forms(project, now):
    question = accept(factories.make_question(project, now, answers=("Kelso", "Leeds")))
    [asked] = build_inputs([question])
    kelso, leeds = asked.disambiguations
    assert (asked.id, asked.question, asked.as_list) == (
        question.external_id,
        question.prompt,
        True,
    )
    assert [answer.passage for answer in (*kelso.answers, *leeds.answers)] == [
        passage(question, "Kelso"),
        passage(question, "Leeds"),
    ]
    assert (kelso.answers[0].text, kelso.answers[0].aliases) == ("Kelso", ("Kelso town",))


def test_each_proof_of_an_answer_is_a_passage_and_an_answer_may_have_none(project, now):
    question = factories.make_question(project, now, answers=("Kelso", "Leeds"))
    kelso, leeds = question.context["answer_list"]
    kelso["proof"].append({"proof_text": "Rennie built it.", "found_in_url": "https://x.org/K%C3"})
    leeds["proof"] = []
    [asked] = build_inputs([accept(question)])
    texts = [
        [answer.passage and answer.passage.text for answer in pair.answers]
        for pair in asked.disambiguations
    ]
    assert texts == [[passage(question, "Kelso").text, "Rennie built it."], [None]]


def test_what_is_not_accepted_is_no_reference_and_suggestions_have_none(project, now):
    question = factories.make_question(project, now, answers=("Kelso", "Leeds", "Wells"))
    person = make_member(project, "annotator")
    factories.check(person, project, ["correct", "doubtful", "correct"])
    question.refresh_from_db()
    assert build_inputs([question])[0].disambiguations == ()
    accept(question)
    names = [row.answers[0].text for row in build_inputs([question])[0].disambiguations]
    assert len(names) == 2
    bare = BaselineQuestion(question.external_id, question.prompt, as_list=True)
    assert build_inputs([question], references=False) == [bare]


def test_a_paraphrase_takes_the_place_of_its_question(now):
    project = paraphrasing.make_project()
    question = paraphrasing.accepted(project, now)
    person = make_member(project, "annotator")
    paraphrasing.Sample.objects.create(project=project, person=person, seed=4)  # not verified
    paraphrasing.paraphrase(project, person, "Which bridges are by Rennie?")
    assert build_inputs([question])[0].question == "Which bridges are by Rennie?"
    [example] = read_examples(project, "dev")
    assert example.question == "Which bridges are by Rennie?"


def test_inputs_take_as_many_queries_however_many_questions(
    project, now, django_assert_max_num_queries
):
    questions = [accept(factories.make_question(project, now)) for _ in range(4)]
    with django_assert_max_num_queries(3):
        assert len(build_inputs(questions)) == 4


def test_examples_are_the_accepted_answers_of_a_split_with_their_forms(project, now):
    question = accept(factories.make_question(project, now, answers=("Kelso", "Leeds")))
    factories.make_question(project, now)
    [example] = read_examples(project, "dev")
    assert (example.id, example.question) == (question.external_id, question.prompt)
    assert example.answers == ("Kelso", "Leeds")
    forms = (("Kelso", "Kelso town"), ("Leeds", "Leeds town"))
    assert example.pairs == tuple((question.prompt, each) for each in forms)
    assert list(read_examples(project, "test")) == []


# --- runs -----------------------------------------------------------------------------------------


def predict(project, baseline, **options):
    """Run a baseline on dev; returns the outputs and the report."""
    run = running.Run(project, running.PREDICT, running.Choice(baseline, "dev", options))
    report = RunReport()
    run.answer_all(report, by=None, now=timezone.now)
    return list(Output.objects.filter(system__project=project).order_by("pk")), report


@pytest.mark.parametrize("baseline", ["fid", "pig"])
def test_gold_evidence_is_the_proofs_of_accepted_answers(
    project,
    now,
    models,
    baseline,
    monkeypatch,
):
    question = accept(factories.make_question(project, now, answers=("Kelso", "Leeds")))
    factories.make_question(project, now)  # nothing is accepted for it
    models.write["fid"] = "Kelso#Leeds"
    models.write["pig"] = lambda text: text.split()[-1]
    monkeypatch.setattr("modeling.corpus.corpus_of", lambda snapshot: corpora.Corpus())
    [output], report = predict(project, baseline, evidence="gold")
    texts = [passage(question, town).text for town in ("Kelso", "Leeds")]
    assert output.details["passages"] == texts
    titles = [passage(question, town).title for town in ("Kelso", "Leeds")]
    assert output.details.get("titles", ["", ""]) == titles
    assert len(output.details["answers"]) == 2
    assert report.rejected == 1


def test_a_closed_book_writes_a_list(project, now, models):
    factories.make_question(project, now)
    models.write["t5-closed"] = "Kelso#Leeds #kelso# C sharp"
    [output], _ = predict(project, "t5-closed")
    assert output.details == {"answers": ["Kelso", "Leeds", "C sharp"]}
    assert output.text == "Kelso\nLeeds\nC sharp"
    assert models.limits["t5-closed"].tokens_out == 512


def test_the_closest_question_is_another_one(project, now):
    questions = [
        accept(factories.make_question(project, now, answers=towns))
        for towns in (("Kelso", "Leeds"), ("Wells",))
    ]
    outputs, _ = predict(project, "closest-question", train="dev")
    by_question = {output.question_id: output.details["answers"] for output in outputs}
    assert by_question == {questions[0].pk: ["Wells"], questions[1].pk: ["Kelso", "Leeds"]}
