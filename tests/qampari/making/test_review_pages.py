"""The pages on which staff judge evidence and look at a sample of made questions."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Job
from qampari.models import EvidenceOpinion, EvidenceVerdict, QuestionReview, SampledQuestion
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(make_in_job):
    return make_in_job(try_only=True)


@pytest.fixture
def staff(client_as, rosa):
    return client_as(rosa)


def evidence(job):
    return reverse("making-evidence", args=[job.project.slug, job.pk])


def opinion(job, verdict):
    return reverse("evidence-opinion", args=[job.project.slug, job.pk, verdict.pk])


def sampled(job, position=1):
    return reverse("sampled-question", args=[job.project.slug, job.pk, position])


def text_of(answer):
    return " ".join(answer.content.decode().split())


def judged(job):
    return EvidenceVerdict.objects.filter(score=1.0).order_by("pk")[0]


def fill_sample(job, number):
    """Make the sample of a job larger than the demo has questions."""
    (own,) = SampledQuestion.objects.filter(job=job)
    for position in range(2, number + 1):
        own.pk, own.position, own.query, own.text = None, position, f"Q{position}", f"{position}?"
        own.save()


def test_the_job_leads_to_both_pages(staff, job):
    page = text_of(staff.get(reverse("job-detail", args=[job.project.slug, job.pk])))
    assert evidence(job) in page
    assert reverse("question-sample", args=[job.project.slug, job.pk]) in page


def test_the_evidence_page_shows_scores_and_sentences(staff, job):
    page = text_of(staff.get(evidence(job)))
    found = EvidenceVerdict.objects.exclude(path="").count()
    assert f"Scores of {found} facts" in page
    assert "by words 2" in page
    assert "These scores are 0 or 1 alone" in page
    assert "Just above, kept" in page
    assert "Just below, left out" in page
    assert "crosses the River Thames." in page
    assert "Nobody has judged a sentence yet." in page
    random = text_of(staff.get(evidence(job), {"draw": "random"}))
    assert "Just above" not in random
    assert random.count('class="segmented"') == min(10, found)
    assert "There are no more." in text_of(staff.get(evidence(job), {"page": "99"}))


def test_a_press_answers_with_the_figures_and_without_scripts_with_the_page(staff, job, rosa):
    verdict = judged(job)
    answer = staff.post(opinion(job, verdict), {"shows": "yes"}, headers={"HX-Request": "true"})
    assert 'id="evidence-figures"' in text_of(answer)
    assert "1 of 1 show their answer" in text_of(answer)
    answer = staff.post(opinion(job, verdict), {"shows": "no", "draw": "random", "page": "2"})
    assert answer["Location"] == f"{evidence(job)}?draw=random&page=2#fact-{verdict.pk}"
    assert EvidenceOpinion.objects.get(person=rosa).shows is False
    page = text_of(staff.get(evidence(job)))
    assert "0 of 1 show their answer" in page


@pytest.mark.parametrize("shows", ["", "maybe"])
def test_an_opinion_is_one_of_two(staff, job, shows):
    assert staff.post(opinion(job, judged(job)), {"shows": shows}).status_code == 409
    assert not EvidenceOpinion.objects.exists()


def test_a_verdict_of_another_project_is_not_found(staff, job, project):
    other = factories.make_project("other", protocol="qampari", policies=False)
    verdict = judged(job)
    EvidenceVerdict.objects.filter(pk=verdict.pk).update(project=other)
    assert staff.post(opinion(job, verdict), {"shows": "yes"}).status_code == 404


@pytest.mark.parametrize(
    "changes", [{"kind": "import"}, {"state": "failed"}], ids=["kind", "state"]
)
def test_only_jobs_that_made_questions_and_ended_well_have_the_pages(staff, job, changes):
    Job.objects.filter(pk=job.pk).update(**changes)
    for address in (evidence(job), sampled(job)):
        assert staff.get(address).status_code == 404


def test_a_question_is_decided_on_and_the_next_one_shown(staff, job):
    fill_sample(job, 3)
    start = reverse("question-sample", args=[job.project.slug, job.pk])
    assert staff.get(start)["Location"] == sampled(job)
    page = text_of(staff.get(sampled(job)))
    assert "Question 1 of 3" in page
    assert "A try looked for evidence of a few things alone." in page
    assert "Which bridges and tunnels cross the River Thames?" in page
    assert "Nothing has been judged yet." in page
    answer = staff.post(sampled(job), {"verdict": "good", "seen": "0"})
    assert answer["Location"] == sampled(job, 2)
    assert staff.get(start)["Location"] == sampled(job, 2)
    staff.post(sampled(job, 3), {"verdict": "left_out", "seen": "0"})
    page = text_of(staff.get(sampled(job, 2)))
    assert "2 of 3 judged" in page
    assert "50 % good: too few to tell" in page


def test_one_may_change_ones_mind_and_is_told_of_another_decision(staff, job, rosa):
    staff.post(sampled(job), {"verdict": "good", "seen": "0"})
    assert 'name="seen" value="1"' in text_of(staff.get(sampled(job)))
    late = staff.post(sampled(job), {"verdict": "left_out", "seen": "0"})
    assert late.status_code == 409
    assert "Someone else has decided" in text_of(late)
    assert QuestionReview.objects.get().verdict == "good"
    staff.post(sampled(job), {"verdict": "wording", "text": "What crosses it?", "seen": "1"})
    review = QuestionReview.objects.get()
    assert (review.verdict, review.text, review.version) == ("wording", "What crosses it?", 2)


def test_words_that_cannot_be_are_shown_again_with_the_reason(staff, job):
    answer = staff.post(
        sampled(job), {"verdict": "wording", "text": "Is it Tower Bridge?", "seen": "0"}
    )
    page = text_of(answer)
    assert answer.status_code == 409
    assert "names one of its answers" in page
    assert "Is it Tower Bridge?</textarea>" in page
    assert not QuestionReview.objects.exists()


def test_more_is_drawn_by_twenties(staff, job):
    fill_sample(job, 45)
    page = text_of(staff.get(sampled(job)))
    assert "Question 1 of 20" in page
    assert f'<a href="{sampled(job, 21)}">Draw 20 more</a>' in page
    page = text_of(staff.get(sampled(job, 21)))
    assert "Question 21 of 40" in page
    assert "Draw 5 more" in page
    staff.post(sampled(job, 21), {"verdict": "good", "seen": "0"})
    assert "Question 1 of 40" in text_of(staff.get(sampled(job)))
    assert staff.get(sampled(job, 46)).status_code == 404


def test_what_train_and_test_share_is_shown(staff, make_in_job):
    job = make_in_job(sample_only=True)
    Job.objects.filter(pk=job.pk).update(
        result=job.result
        | {"counts": job.result["counts"]
           | {"shared": {"relations": 0, "subjects": 12, "answers": 345, "questions": 6}}}
    )  # fmt: skip
    page = text_of(staff.get(sampled(job)))
    for name, number in (
        ("Relations in both", 0), ("Things asked about in both", 12), ("Answers in both", 345),
        ("Same set of answers in both", 6),
    ):  # fmt: skip
        assert f"<dt>{name}</dt><dd>{number}</dd>" in page
    assert "drawn at random from the 1 questions" in page


def test_a_sample_without_questions_says_so(staff, job):
    SampledQuestion.objects.all().delete()
    assert "There is no question to look at" in text_of(staff.get(sampled(job)))
    assert staff.post(sampled(job), {"verdict": "good"}).status_code == 404


def test_the_form_draws_a_sample(staff, project):
    values = {"graph": "demo", "least": 5, "most": 200, "share": 0.8, "judge": "words",
              "threshold": 0.5, "split": "strict", "seed": 0, "sample": "1"}  # fmt: skip
    values |= {f"{s}_{k}": 9 for s in ("train", "dev", "test")
               for k in ("simple", "intersection", "composition")}  # fmt: skip
    from tests.qampari.making.conftest import CHOICES

    with CHOICES.open("rb") as file:
        staff.post(reverse("make-questions", args=["lists"]), values | {"relations": file})
    assert Job.objects.get().kind == "make-sample"


def test_the_api_draws_a_sample(staff, project):
    body = {"graph": "demo", "sample_only": True}
    address = reverse("api-makings", args=["lists"])
    assert staff.post(address, body, content_type="application/json").status_code == 202
    assert Job.objects.get().kind == "make-sample"


@pytest.mark.parametrize("page", [evidence, sampled])
def test_statements_do_not_grow(staff, job, rosa, page):
    def count():
        with CaptureQueriesContext(
            connection,
        ) as taken:
            assert staff.get(page(job)).status_code == 200
        return len(taken)

    count()  # the session is there
    before = count()
    fill_sample(job, 30)
    staff.post(sampled(job, 2), {"verdict": "good", "seen": "0"})
    for verdict in EvidenceVerdict.objects.exclude(path=""):
        staff.post(opinion(job, verdict), {"shows": "yes"})
    assert count() == before
