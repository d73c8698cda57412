"""The figures of a study: asked for once, computed by a job, stored in place of earlier ones."""

import datetime as dt
import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.core.refusals import Denied
from annotation.figures import services as figures_services
from annotation.jobs import services as jobs_services
from annotation.models import Job
from evaluation.judgments.services import import_judgments
from evaluation.models import Consensus
from evaluation.results import automatic
from evaluation.results import files as tables
from evaluation.results.stored import find_results
from evaluation.scores.automatic import score_answers
from evaluation.studies import results_job
from evaluation.studies import services as studies_services
from metrics import asqa as scorer
from metrics import sentences
from tests.annotation.long_answers import helpers as asqa
from tests.annotation.work.helpers import in_parallel
from tests.evaluation.factories import (
    compared,
    make_item,
    make_judgment,
    make_output,
    make_study,
    make_system,
)
from tests.evaluation.results.judged_study import make_judged
from tests.figures import compute_results, store_results

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(project):
    return make_judged(project)


def run(job, now):
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    job.refresh_from_db()


def test_a_job_computes_and_stores_every_figure(study, rosa, now):
    job = results_job.start_results_job(study=study, by=rosa, now=now)
    run(job, now)

    assert job.state == Job.State.DONE, job.problem
    stored = find_results(study)
    assert stored.judgments == job.done == 37  # 6 questions, 3 pairs, 2 raters, 1 repeat
    assert stored.computed_at == now
    assert stored.figures["systems"] == ["Middling", "Strong", "Weak & poor"]
    assert stored.figures["counts"]["repeats"] == 1
    assert stored.figures["seed"] == study.seed
    assert f"seed:{study.seed}" in stored.figures["signature"]
    assert stored.figures["data_sha256"][:16] in stored.figures["signature"]
    assert find_results(study).since == 0


def test_figures_repeat_to_the_last_digit(study, now):
    one, other = (compute_results(study, now)[0].figures["figures"] for _ in range(2))

    assert one == other
    study.seed += 1
    study.save()
    assert compute_results(study, now)[0].figures["figures"] != one


def test_whoever_asks_while_a_job_is_under_way_gets_the_same_one(study, project, rosa, now):
    job = results_job.start_results_job(study=study, by=rosa, now=now)

    assert results_job.start_results_job(study=study, by=rosa, now=now) == job
    jobs_services.claim_job(job_id=job.pk, now=now)
    assert results_job.start_results_job(study=study, by=rosa, now=now) == job
    other = results_job.start_results_job(study=make_study(project), by=rosa, now=now)
    assert other != job, "another study has its own"
    jobs_services.end_job(job=Job.objects.get(pk=job.pk), state=Job.State.DONE, now=now)
    assert results_job.start_results_job(study=study, by=rosa, now=now) != job


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_make_one_job(study, rosa, now):
    outcomes = in_parallel(
        [lambda: results_job.start_results_job(study=study, by=rosa, now=now)] * 2
    )

    assert len({job.pk for job in outcomes}) == 1
    assert Job.objects.filter(kind="study_results").count() == 1


def test_only_staff_may_ask(study, ann, now):
    with pytest.raises(Denied):
        results_job.start_results_job(study=study, by=ann, now=now)
    assert not Job.objects.filter(kind="study_results").exists()


def test_new_figures_replace_the_old_and_a_slow_job_replaces_no_newer_ones(study, now):
    later = now + dt.timedelta(minutes=5)
    early = compute_results(study, now)
    make_judgment(study.items.last(), name="Late rater")
    store_results(study, later)
    figures_services.store_computed(early)

    stored = find_results(study)
    assert (stored.judgments, stored.computed_at) == (38, later)


def test_judgments_made_since_are_counted(study, now):
    store_results(study, now)
    make_judgment(study.items.last(), name="Late rater")
    make_judgment(
        make_item(make_study(study.project), study.items.first().question, *systems(study))
    )

    assert find_results(study).since == 1


def systems(study):
    return study.systems.all()[:2]


def test_a_study_without_judgments_has_empty_figures(project, rosa, now):
    study = make_study(project, [make_system(project)])
    run(results_job.start_results_job(study=study, by=rosa, now=now), now)

    assert find_results(study).figures["counts"]["judgments"] == 0


def test_a_job_of_a_study_that_is_gone_says_so(study, project, rosa, now):
    job = results_job.start_results_job(study=make_study(project), by=rosa, now=now)
    type(study).objects.exclude(pk=study.pk).delete()
    run(job, now)

    assert (job.state, job.problem) == ("failed", "The study no longer exists.")


def test_a_consensus_of_experts_replaces_their_verdicts(project, rosa, now):
    system = make_system(project)
    question = asqa.make_question(project)
    study = make_study(project, [system], pairing="expert", criteria=[])
    item = make_item(study, question, system)
    for name, verdict in (("E1", "correct"), ("E2", "wrong")):
        make_judgment(item, compared((), (), ()) | {"verdict": verdict}, name)
    apart = compute_results(study, now)[0].figures["figures"]["experts"]
    Consensus.objects.create(
        item=item, verdict="debatable", justification="Both", made_by=rosa, created_at=now
    )
    computed = compute_results(study, now)[0].figures["figures"]
    agreed = computed["experts"]

    assert apart[system.name]["correct"]["value"] == 50
    assert agreed[system.name]["debatable"]["value"] == 100
    assert computed["experts_alone"] == apart
    assert "experts_alone.precision," in tables.render_csv(computed)


# --- automatic metrics ---------------------------------------------------------------------------


def test_automatic_scores_are_those_of_the_scorer(study):
    scores = score_answers(automatic.read_answers(study))

    assert scores["length"]["Middling"] == {f"key-{n}": 7.0 for n in range(1, 7)}
    assert scores["str_em"]["Strong"]["key-1"] == 100
    assert scores["str_em"]["Middling"]["key-1"] == 50
    assert scores["str_em"]["Weak & poor"]["key-1"] == 0
    # Only the first question has a reference.
    assert list(scores["rouge_l"]["Strong"]) == ["key-1"]
    reference = scorer.AsqaAnnotation("It opened to walkers in 1843.")
    expected = scorer.score_predictions(
        {"q": scorer.Question([scorer.AsqaPair("when", ["1843"])], [reference])},
        {"q": asqa.TEXT},
        splitter=sentences.choose_splitter(),
    )
    assert scores["rouge_l"]["Strong"]["key-1"] == expected.columns["rouge_lsum"][0]


def test_a_reference_is_not_scored_against_itself(project):
    context = asqa.TUNNEL | {"annotations": [{"long_answer": "One."}, {"long_answer": "Two."}]}
    question = asqa.make_question(project, context=context)
    human = make_system(project, "Human", kind="human")
    make_output(human, question, "One.")
    study = make_study(project, [human])
    make_item(study, question, human)

    [answer] = automatic.read_answers(study)
    assert answer.references == ["One.", "Two."]
    assert score_answers([answer])["rouge_l"]["Human"][question.external_id] == 0


def test_each_answer_has_its_accuracy_beside_its_scores(study, now):
    answers = compute_results(study, now)[0].figures["figures"]["answers"]

    assert len(answers) == 18
    assert answers[0] == {
        "question": "key-1",
        "system": "Middling",
        "acc": pytest.approx(answers[0]["acc"]),
        "length": 7.0,
        "str_em": 50.0,
        "rouge_l": pytest.approx(answers[0]["rouge_l"]),
    }
    assert {"rouge_l"} & set(answers[-1]) == set()


# --- the command ---------------------------------------------------------------------------------


def test_the_command_prints_and_stores(study, project):
    out = io.StringIO()
    call_command("study_results", project.slug, "--json", stdout=out)

    printed = json.loads(out.getvalue())
    assert printed["study"]["id"] == study.pk
    assert printed["figures"] == find_results(study).figures
    text = io.StringIO()
    call_command("study_results", project.slug, "--study", str(study.pk), stdout=text)
    assert "Accuracy (ACC)" in text.getvalue()
    assert "Points, Fluency" in text.getvalue()


def test_the_command_names_the_studies_it_could_mean(study, project):
    make_study(project, title="Second look")
    for arguments, words in (
        ((project.slug,), "Second look"),
        ((project.slug, "--study", "999999"), "There is no study 999999"),
        (("nowhere",), "There is no project"),
    ):
        with pytest.raises(CommandError, match=words) as refusal:
            call_command("study_results", *arguments)
        assert refusal.value.returncode == 2


def test_closing_a_study_asks_for_its_figures(study, rosa, now):
    studies_services.close_study(study=study, by=rosa, now=now)

    [job] = Job.objects.filter(kind="study_results")
    run(job, now)
    assert find_results(study).judgments == 37


def test_importing_judgments_asks_for_their_figures(study, project, rosa, now, tmp_path):
    call_command(
        "export", project.slug, "--format", "judgments", "--output", str(tmp_path / "file")
    )
    with (tmp_path / "file").open("rb") as file:
        copy, _ = import_judgments(project=project, file=file, title="Again", by=rosa, now=now)

    [job] = Job.objects.filter(kind="study_results")
    assert job.options == {"study": copy.pk}
