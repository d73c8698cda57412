"""What thresholds keep, and how often people say that a sentence shows its fact."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.models import Job
from qampari.making import evidence_figures
from qampari.making.choices import read_choice, write_choice
from qampari.making.opinions import find_own_opinions, store_opinion
from qampari.making.shown_facts import show_facts
from qampari.making.stored_verdicts import hash_wording
from qampari.models import EvidenceOpinion, EvidenceVerdict
from tests import factories
from tests.qampari.making.conftest import DEMO

pytestmark = pytest.mark.django_db
NOW = timezone.now
CHOICE = read_choice(DEMO)
ABOUT = {"snapshot": "demo", "judge": "entailment tiny"}


@pytest.fixture
def project(db):
    return factories.make_project("lists", protocol="qampari", policies=False)


@pytest.fixture
def rosa(project):
    return factories.make_member(project, "researcher")


@pytest.fixture
def job(project, rosa):
    options = {"graph": "none", "judge": "entailment", "choice": write_choice(CHOICE)}
    return Job.objects.create(
        project=project, kind="make-try", created_by=rosa, created_at=NOW(), options=options,
        result={"verdicts": ABOUT},
    )  # fmt: skip


@pytest.fixture
def give(project):
    """Make a verdict on a fact of the first relation, with a score; None: without a sentence."""

    def give(item, score, **more):
        about = ABOUT | {
            "project": project, "wording": hash_wording(CHOICE.relations[0]), "item": item,
            "value": 32, "score": score or 0.0, "sentences": 0,
        }  # fmt: skip
        if score is not None:
            about |= {
                "sentences": 1, "path": "Bridge", "title": "Tower Bridge", "found": "Thames",
                "start": 10, "sentence": 22, "end": 43, "of_item": True,
                "text": "It is tall. It crosses the Thames.", "url": "https://example.org/Bridge",
            }  # fmt: skip
        return EvidenceVerdict.objects.create(**about | more)

    return give


def say(verdict, person, shows):
    store_opinion(verdict=verdict, shows=shows, by=person, now=NOW())


def compute(job):
    return evidence_figures.compute_figures(evidence_figures.find_verdicts(job), CHOICE)


def test_scores_are_counted_in_twenty_bins_and_by_threshold(job, give):
    for item, score in enumerate((0.0, 0.049, 0.05, 0.5, 0.71, 0.95, 1.0, None, None)):
        give(item, score)
    figures = compute(job)
    counts = {each.low: each.count for each in figures.bins if each.count}
    assert counts == {0.0: 2, 0.05: 1, 0.5: 1, 0.7: 1, 0.95: 2}
    assert (len(figures.bins), figures.highest) == (20, 2)
    assert (figures.with_sentence, figures.without) == (7, 2)
    kept = {row.threshold: row.kept for row in figures.rows}
    assert kept == {0.00195: 6, 0.3: 4, 0.5: 4, 0.7: 3, 0.9: 2}
    assert [row.threshold for row in figures.rows if row.is_chosen] == [0.5]
    assert not figures.is_two_valued


def test_verdicts_of_another_judge_snapshot_or_wording_do_not_count(job, give):
    give(1, 0.7)
    give(2, 0.7, judge="words 2")
    give(3, 0.7, snapshot="other")
    give(4, 0.7, wording="f" * 16)
    assert compute(job).with_sentence == 1


def test_scores_of_words_are_told(job, give):
    for item, score in enumerate((0.0, 1.0, 1.0)):
        give(item, score)
    assert compute(job).is_two_valued


def test_the_share_that_is_right_has_an_interval(job, give, rosa):
    """All facts are judged, so that all of the random order counts."""
    for item in range(40):
        say(give(item, 0.6), rosa, shows=item >= 3)
    for item in range(40, 60):
        say(give(item, 0.4), rosa, shows=item < 44)
    row = next(each for each in compute(job).rows if each.is_chosen)
    assert (row.above.right, row.above.judged) == (37, 40)
    low, high = row.above.interval
    assert (round(low, 2), round(high, 2)) == (0.8, 0.97)
    assert (row.below.right, row.below.judged) == (4, 20)
    loose = compute(job).rows[1]
    assert (loose.threshold, loose.above.right, loose.above.judged) == (0.3, 41, 60)


def test_what_was_picked_near_the_threshold_is_no_random_sample(job, give, rosa):
    """Random facts count up to the first one that is open; those near the threshold count apart."""
    verdicts = [give(item, 0.6) for item in range(8)]
    ordered = evidence_figures.list_at_random(evidence_figures.find_verdicts(job), 1)
    assert {row.pk for row in ordered} == {row.pk for row in verdicts}
    for place in (0, 1, 3):
        say(ordered[place], rosa, shows=True)
    figures = compute(job)
    assert next(each for each in figures.rows if each.is_chosen).above.judged == 2
    assert (figures.near_above.judged, figures.judged) == (3, 3)
    say(ordered[2], rosa, shows=False)
    row = next(each for each in compute(job).rows if each.is_chosen)
    assert (row.above.right, row.above.judged) == (3, 4)


def test_most_people_decide_and_where_they_differ_nothing_counts(job, give, rosa, project):
    ada, bo = (factories.make_member(project, "admin") for _ in range(2))
    verdict = give(1, 0.6)
    say(verdict, rosa, shows=True)
    say(verdict, ada, shows=False)
    figures = compute(job)
    assert (figures.judged, figures.split, figures.near_above.judged) == (1, 1, 0)
    say(verdict, bo, shows=False)
    figures = compute(job)
    assert (figures.split, figures.near_above.right, figures.near_above.judged) == (0, 0, 1)


def test_a_person_has_one_opinion_and_may_change_it(job, give, rosa):
    verdict = give(1, 0.6)
    say(verdict, rosa, shows=True)
    say(verdict, rosa, shows=False)
    assert EvidenceOpinion.objects.count() == 1
    assert find_own_opinions(rosa, [verdict]) == {verdict.pk: False}


def test_only_staff_judge_and_only_sentences(give, rosa, project):
    with pytest.raises(Denied):
        say(give(1, 0.6), factories.make_member(project, "annotator"), shows=True)
    with pytest.raises(Conflict, match="nothing to judge"):
        say(give(2, None), rosa, shows=True)
    assert not EvidenceOpinion.objects.exists()


def test_one_opinion_for_each_person_and_verdict(give, rosa):
    verdict = give(1, 0.6)
    EvidenceOpinion.objects.create(verdict=verdict, person=rosa, shows=True, at=NOW())
    with (
        pytest.raises(IntegrityError, match="evidence_opinion_once_per_verdict_and_person"),
        transaction.atomic(),
    ):
        EvidenceOpinion.objects.create(verdict=verdict, person=rosa, shows=False, at=NOW())


def test_the_closest_come_first_and_pages_do_not_overlap(job, give):
    for item in range(12):
        give(item, 0.5 + item / 100)
        give(20 + item, 0.49 - item / 100)
    give(40, None)
    verdicts = evidence_figures.find_verdicts(job)
    above, below = evidence_figures.list_near(verdicts, 0.5, 1)
    assert [round(row.score, 2) for row in above] == [0.5, 0.51, 0.52, 0.53, 0.54]
    assert [round(row.score, 2) for row in below] == [0.49, 0.48, 0.47, 0.46, 0.45]
    more, _ = evidence_figures.list_near(verdicts, 0.5, 2)
    assert [round(row.score, 2) for row in more] == [0.55, 0.56, 0.57, 0.58, 0.59]


def test_facts_of_one_score_come_in_a_random_order_that_stays(job, give):
    verdicts = [give(item, 1.0) for item in range(30)]
    found = evidence_figures.find_verdicts(job)
    first = [row.item for row in evidence_figures.list_near(found, 0.5, 1)[0]]
    assert first == [row.item for row in evidence_figures.list_at_random(found, 1)][:5]
    assert first != [row.item for row in verdicts[:5]]
    EvidenceVerdict.objects.all().delete()
    for item in reversed(range(30)):
        give(item, 1.0)
    assert first == [row.item for row in evidence_figures.list_near(found, 0.5, 1)[0]]


def test_a_fact_is_shown_in_the_words_of_its_sentence_where_the_graph_is_gone(give, rosa):
    verdict = give(1, 0.6)
    (shown,) = show_facts([verdict], CHOICE, "none", {verdict.pk: True})
    assert shown.statement == "Tower Bridge crosses the Thames."
    assert shown.question == "Which bridges and tunnels cross the Thames?"
    assert (shown.context, shown.sentence) == ("It is tall.", "It crosses the Thames.")
    assert (shown.url, shown.own) == ("https://example.org/Bridge", True)
    (other,) = show_facts([give(2, 0.6, of_item=False, url="")], CHOICE, "none", {})
    assert (other.statement, other.own) == ("Thames crosses the Tower Bridge.", None)
