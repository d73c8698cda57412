"""The page of results: what it says, for whom, how fast; and the judgments behind a figure."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.pseudonyms import derive_pseudonym
from annotation.figures import services as figures_services
from annotation.jobs import services as jobs_services
from annotation.models import Assignment, Job, Question, Submission
from evaluation.judgments.pair_page import PAGE
from evaluation.models import Consensus, Item, Judgment
from evaluation.results import report
from evaluation.results import services as results_services
from evaluation.results.stored import find_results
from evaluation.studies import results_job
from tests import factories, plans
from tests.evaluation.factories import compared, make_item, make_judgment, make_study, make_system
from tests.evaluation.results.judged_study import make_judged
from tests.figures import compute_results, store_results

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(project):
    return make_judged(project)


@pytest.fixture
def computed(study, now):
    store_results(study, now)
    return study


@pytest.fixture
def staff(client_as, rosa):
    return client_as(rosa)


def address(study, name="study-results", query=""):
    return reverse(name, args=[study.project.slug, study.pk]) + query


def words(answer):
    """The text of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def pair_query(study, *names):
    first, second = (study.systems.get(name=name).pk for name in names)
    return f"?first={first}&second={second}"


def test_without_figures_the_page_offers_to_compute_them(study, staff):
    page = words(staff.get(address(study)))

    assert "There are no figures of this study yet." in page
    assert "Compute the figures" in page


def test_a_press_starts_the_job_and_the_page_waits_for_it(study, staff, now):
    answer = staff.post(address(study), follow=True)

    assert "New figures are being computed." in words(answer)
    assert "Compute the figures" not in words(answer)
    job = Job.objects.get(kind="study_results")
    waiting = staff.get(address(study), headers={"HX-Request": "true"})
    assert (waiting.status_code, waiting.headers.get("HX-Refresh")) == (204, None)
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    over = staff.get(address(study), headers={"HX-Request": "true"})
    assert over.headers["HX-Refresh"] == "true"
    assert "no new judgments since" in words(staff.get(address(study)))


def test_a_failed_job_says_why_and_keeps_the_figures(computed, staff, rosa, now, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(results_services, "compute_study_figures", broken)
    job = results_job.start_results_job(study=computed, by=rosa, now=now)
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    page = words(staff.get(address(computed)))

    assert "The figures could not be computed" in page
    assert "ZeroDivisionError" in page
    assert "Accuracy (ACC)" in page


def test_the_page_has_every_figure(computed, staff):
    page = words(staff.get(address(computed)))
    figures = find_results(computed).figures

    assert figures["summary"][0].replace("&", "&amp;") in page
    assert "6 questions 3 systems 2 raters 36 judgments and 1 repeat" in page
    for system, figure in figures["acc"].items():
        shown = f"{figure['value']:.1f} {figure['low']:.1f} to {figure['high']:.1f}"
        assert f"{system.replace('&', '&amp;')} {shown} {figure['n']}" in page
    overall = figures["criteria"][-1]
    for figure in overall["points"].values():
        assert f"{figure['value']:.1f} {figure['low']:.1f} to {figure['high']:.1f}" in page
    cell = overall["matrix"]["Strong"]["Middling"]
    assert f"{cell['wins']} / {cell['ties']} / {cell['losses']}" in page
    log = overall["strengths"]["Strong"]["log"]["value"]
    assert f"{log:.2f}" in page
    assert f"{overall['agreement']['alpha']['value']:.2f}".replace("-", "−") in page
    assert f"{overall['position']['left']} chose the left answer" in page
    assert "Same choice when shown again" in page
    assert "These correlations rest on 3 systems." in page
    assert "STR-EM of one answer; upwards, its ACC from raters" in page
    assert "Disambig-F1 is missing: no reader has answered" in page


def test_systems_stand_in_one_order_and_the_strongest_first(project, staff, now):
    study = make_judged(project)
    # Shorter names come first in a stored object.
    study.systems.filter(name="Weak & poor").update(name="W")
    store_results(study, now)
    figures = find_results(study).figures

    def order(table):
        return [[line.label for line in lines] for _, lines in table.groups]

    assert list(figures["acc"]) == ["W", "Strong", "Middling"]
    assert order(report.tabulate_accuracy(figures)) == [["Middling", "Strong", "W"]]
    assert order(report.tabulate_points(figures)) == [["Middling", "Strong", "W"]] * 3
    overall = report.find_criterion(figures, "overall")
    assert order(report.tabulate_strengths(overall)) == [["Strong", "Middling", "W"]]


def test_criterion_and_metric_are_chosen_by_links(computed, staff):
    page = staff.get(address(computed, query="?criterion=fluency&metric=length")).content.decode()

    fluency = find_results(computed).figures["criteria"][1]["matrix"]["Strong"]["Middling"]
    assert f"{fluency['wins']} / {fluency['ties']} / {fluency['losses']}" in page
    assert "Length of one answer" in page
    for query in ("?criterion=<b>&metric=nothing", "?criterion=&metric="):
        assert staff.get(address(computed, query=query)).status_code == 200


def test_a_study_of_experts_shows_verdicts_and_precision(project, staff, now):
    system = make_system(project, "Reader")
    study = make_study(project, [system], pairing="expert", criteria=[])
    for verdict in ("correct", "debatable", "wrong", "correct"):
        question = factories.make_question(project)
        response = compared((), (), ()) | {"verdict": verdict, "why": "It is in the article."}
        make_judgment(make_item(study, question, system), response, "Expert 1")
    store_results(study, now)
    Consensus.objects.create(
        item=study.items.last(),
        verdict="debatable",
        justification="It depends on the year.",
        made_by=staff.get("/").wsgi_request.user,
        created_at=now + dt.timedelta(seconds=1),
    )
    assert "no new judgments since 1 new consensus since" in words(staff.get(address(study)))
    store_results(study, now + dt.timedelta(seconds=2))
    page = words(staff.get(address(study)))
    assert "new consensus" not in page

    assert "Precision by experts" in page
    assert "75.0" in page
    assert "With the consensus Reader" in page
    assert "As each expert judged alone Reader" in page
    assert "Reader 25 % 50 % 25 % 4" in page
    judged = words(staff.get(address(study, "study-judgments", f"?first={system.pk}")))
    assert "Verdict: Wrong" in judged
    assert "Consensus: Correct, but debatable. It depends on the year." in judged


def test_hostile_names_and_reasons_stay_text(project, staff, now):
    study = make_judged(project)
    study.systems.filter(name="Strong").update(name="<script>alert(1)</script>")
    Judgment.objects.update(response=compared(why="<img src=x onerror=alert(1)>"))
    store_results(study, now)
    query = pair_query(study, "<script>alert(1)</script>", "Middling")

    for page in (address(study), address(study, "study-judgments", query)):
        html = staff.get(page).content.decode()
        assert "<script>alert" not in html
        assert "<img" not in html


# --- the judgments of a pair ----------------------------------------------------------------------


def test_a_cell_of_the_matrix_opens_its_judgments(computed, staff):
    page = staff.get(address(computed)).content.decode()
    query = pair_query(computed, "Strong", "Middling").replace("&", "&amp;")
    assert address(computed, "study-judgments", query) in page

    judged = words(staff.get(address(computed, "study-judgments", query.replace("&amp;", "&"))))
    assert judged.count("Rater 1") == 7  # one pair was shown again
    assert judged.count("shown again") == 1
    assert "The tunnel opened on 25 March 1843." in judged
    assert "It says more." in judged


def test_a_judgment_is_put_into_words_from_the_sides_that_were_shown(project, staff):
    one, two = make_system(project, "One"), make_system(project, "Two")
    study = make_study(project, [one, two])
    question = factories.make_question(project)
    response = compared((True, True), (True, False), ("left_much", "tie", "right"))
    make_judgment(make_item(study, question, one, two), response, swapped=True)
    page = words(staff.get(address(study, "study-judgments", pair_query(study, "One", "Two"))))

    assert "Rater 1 Two Answered by Two: 2 of 2 Answered by One: 1 of 2" in page
    assert "Comprehensiveness: Two, much better Fluency: Equally good Overall: One" in page


def test_pages_follow_each_other_without_gaps(project, staff):
    one, two = make_system(project, "One"), make_system(project, "Two")
    study = make_study(project, [one, two])
    question = factories.make_question(project)
    for number in range(2 * PAGE + 1):
        pair = (one, two) if number % 2 else (two, one)  # imported ones may have either order
        make_judgment(make_item(study, question, *pair))
    make_item(study, question, one, two)  # not judged
    path, positions = address(study, "study-judgments", pair_query(study, "One", "Two")), []
    while path:
        page = staff.get(path).content.decode()
        positions += map(int, re.findall(r'id="item-(\d+)"', page))
        more = re.search(r'href="([^"]*from=\d+)"', page)
        path = more and address(study, "study-judgments", more[1].replace("&amp;", "&"))

    assert positions == list(range(2 * PAGE + 1))


@pytest.mark.parametrize("query", ["", "?first=x", "?first=999999", "?first=1&second=-2"])
def test_addresses_without_a_system_of_the_study_lead_nowhere(study, staff, query):
    assert staff.get(address(study, "study-judgments", query)).status_code == 404


def test_judgments_left_out_by_the_team_are_not_shown(project, study, staff, ann, now):
    item = study.items.first()
    times = {"submitted_at": now, "ended_at": now}
    turn = factories.make_assignment(factories.make_task(project), ann, state="submitted", **times)
    submission = Submission.objects.create(
        assignment=turn,
        question=item.question,
        author=ann,
        stage="comparison",
        response=compared(why="Read this."),
        created_at=now,
    )
    Judgment.objects.create(item=item, judge=ann, submission=submission, created_at=now)
    path = address(study, "study-judgments", pair_query(study, "Strong", "Middling"))

    page = words(staff.get(path))
    assert derive_pseudonym(ann, scope=project.slug) in page
    assert "Read this." in page
    assert ann.name not in page
    Assignment.objects.filter(pk=turn.pk).update(used=False)
    assert "Read this." not in words(staff.get(path))


# --- speed ---------------------------------------------------------------------------------------


def queries_of(client, path):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(path).status_code == 200
    return len(queries)


def test_the_number_of_queries_does_not_grow(project, staff, now):
    studies = [make_judged(project, questions=2)]
    studies.append(make_study(project, studies[0].systems.all()))
    small, large = studies
    for number in range(PAGE):
        for item in small.items.filter(repeats=None):
            copy = make_item(large, item.question, item.first, item.second)
            for name in ("Rater 1", "Rater 2", f"Rater {number}"):
                make_judgment(copy, name=name)
    for study in studies:
        store_results(study, now)
    query = pair_query(small, "Strong", "Middling")
    for name, more in (("study-results", ""), ("study-judgments", query)):
        one, other = (queries_of(staff, address(study, name, more)) for study in studies)
        assert one == other, name


def test_pages_read_what_they_show(project, staff, now):
    systems = [make_system(project) for _ in range(4)]
    study = make_study(project, systems)
    questions = Question.objects.bulk_create(
        Question(project=project, text="when", external_id=f"q{n}", split="dev", created_at=now)
        for n in range(1_000)
    )
    pairs = [(a, b) for a in systems for b in systems if a.pk < b.pk]
    items = Item.objects.bulk_create(
        Item(study=study, question=row, first=a, second=b, position=6 * n + place)
        for n, row in enumerate(questions)
        for place, (a, b) in enumerate(pairs)
    )
    Judgment.objects.bulk_create(
        Judgment(item=item, judge_name="R", response=compared(), created_at=now) for item in items
    )
    [stored] = compute_results(make_study(project, systems), now)
    stored.subject, stored.data_state = str(study.pk), str(Judgment.objects.latest("pk").pk)
    figures_services.store_computed([stored])
    path = address(study, "study-judgments", f"?first={systems[1].pk}&second={systems[2].pk}")
    pages = [path, f"{path}&from=3000", f"{path}&from=5980", address(study)]
    for page in pages:
        with plans.explained(large=True) as explained:
            assert staff.get(page).status_code == 200
        problems = [plan for plan in explained if plan.rows > 300 or plan.sequential]
        assert not problems, "\n".join(f"{plan.rows} {plan}" for plan in problems)
