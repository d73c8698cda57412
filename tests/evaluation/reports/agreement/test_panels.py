"""The panels of agreement against numbers counted by hand from tests.validation.simulated."""

import datetime as dt
import random

import pytest

from annotation.figures.filters import Filters
from annotation.figures.panel import Person
from annotation.figures.registry import Request, find_report
from annotation.models import Event
from evaluation.reports.agreement import (
    annotators,
    disagreements,
    facts,
    headline,
    outcomes,
    over_time,
    people_pairs,
)
from validation.agreement.figures import AgreementFacts, DecisionInForce, SubmittedAnswers

pytestmark = pytest.mark.django_db
# Of Q1 to Q13, as test_figures.py counts it.
F1 = (1 + 1 + 2 / 3 + 1 / 2 + 4 / 5 + 1 / 2 + 1 + 2 / 3) / 13


def rows(make, project, now, **filters):
    return [list(row) for row in make(Request(project, Filters(**filters), now)).rows]


def by_first(make, project, now, **filters):
    return {row[0]: row[1:] for row in rows(make, project, now, **filters)}


def share(part, whole):
    return pytest.approx(part / whole), whole


def of(value):
    return value.value, value.n


# --- the whole -----------------------------------------------------------------------------------


def test_every_question_has_one_outcome(world, now):
    found = by_first(outcomes.build_outcomes_panel, world.project, now)

    assert {name: row[0] for name, row in found.items()} == {
        "All answers match": 3,
        "Accepted as written": 2,
        "Changed by an edit": 3,
        "Changed by an exclusion alone": 4,
    }
    assert of(found["Accepted as written"][1]) == share(2, 12)


def test_agreement_of_each_split(world, now):
    found = by_first(over_time.build_splits_panel, world.project, now)

    assert found.keys() == {"dev"}  # nobody shares a question of train, and none is validated
    value, exact, passed = found["dev"]
    assert of(value) == (pytest.approx(F1), 13)
    assert of(exact) == share(3, 13)
    assert of(passed) == share(5, 12)


def test_agreement_of_each_week(world, now):
    found = rows(over_time.build_weeks_panel, world.project, now)

    monday = now.date() - dt.timedelta(days=now.weekday())
    assert [row[0] for row in found] == [monday.isoformat()]
    assert of(found[0][1]) == (pytest.approx(F1), 13)


def test_who_agrees_with_whom_is_the_same_both_ways(world, now):
    ann, ben = world.ann.pk, world.ben.pk
    found = {
        (a.person, b.person): of(v)
        for a, b, v in rows(people_pairs.build_pairs_panel, world.project, now)
    }

    assert found == dict.fromkeys([(ann, ben), (ben, ann)], (pytest.approx(F1), 13))


def test_what_each_annotator_does_next_to_everyone(world, now):
    turn = (
        world.questions["Q1"].tasks.get(policy__stage="generation").assignments.get(user=world.ann)
    )
    shown = {"rule": "made_up", "field": "answer"}
    for kind, data in (
        ("warning_shown", shown),
        ("warning_shown", shown),
        ("warning_kept", shown),
        ("warning_shown", shown | {"field": "other"}),
        ("search", {"query": "tunnel"}),
        ("page_open", {"path": "B", "title": "B"}),
    ):
        Event.objects.create(assignment=turn, kind=kind, at=now, data=data)
    panel = annotators.build_annotators_panel(Request(world.project, Filters(), now))
    keys = [column.key for column in panel.columns]
    everyone, ann, ben = (dict(zip(keys, row, strict=True)) for row in panel.rows)

    assert (everyone["person"], everyone["submissions"]) == ("Everyone", 29)
    assert (ann["person"], ann["submissions"]) == (Person(world.ann.pk), 16)
    assert (ben["person"], ben["submissions"]) == (Person(world.ben.pk), 13)
    assert of(everyone["multiple"]) == share(12, 29)
    assert of(ann["multiple"]) == share(7, 16)
    assert of(ben["none"]) == share(2, 13)
    # Ann opened a page for each submission, and one more.
    assert ann["pages"] == pytest.approx(17 / 16)
    assert ann["searches"] == pytest.approx(1 / 16)
    assert ann["kept"].n >= 2
    warned = by_first(annotators.build_warnings_panel, world.project, now)
    assert warned["made_up"] == [2, warned["made_up"][1]]
    assert of(warned["made_up"][1]) == share(1, 2)


def test_one_person_is_compared_with_everyone(world, now):
    found = rows(annotators.build_annotators_panel, world.project, now, person=world.ben.pk)

    assert [row[0] for row in found] == ["Everyone", Person(world.ben.pk)]
    assert found[0][1] == 29


def test_the_work_of_a_person_week_by_week_is_next_to_everyones(world, now):
    monday = (now.date() - dt.timedelta(days=now.weekday())).isoformat()
    every = [monday, "Everyone", 29]

    assert [row[:3] for row in rows(annotators.build_work_panel, world.project, now)] == [every]
    found = rows(annotators.build_work_panel, world.project, now, person=world.ben.pk)
    assert [row[:3] for row in found] == [every, [monday, Person(world.ben.pk), 13]]


def test_the_first_figures_are_those_of_the_other_panels(world, now):
    found = by_first(headline.build_headline_panel, world.project, now)

    assert of(found["Two people agree"][0]) == (pytest.approx(F1), 13)
    assert of(found["All gave the same answers"][0]) == share(3, 13)
    assert of(found["Passed unchanged"][0]) == share(5, 12)


def test_disagreements_come_with_the_worst_first(world, now):
    panel = disagreements.build_disagreements_panel(Request(world.project, Filters(), now))
    names = {
        f"/projects/{world.project.slug}/questions/{question.pk}/": name
        for name, question in world.questions.items()
    }
    found = [(names[link.href], kinds) for link, kinds, *_ in panel.rows]

    assert found == [
        ("Q5", "Different form"),
        ("Q6", "Missed answer, Extra answer"),
        ("Q9", "Question excluded"),
        ("Q10", "Missed answer"),
        ("Q13", "Not decided"),
        ("Q4", "Missed answer, Extra answer"),
        ("Q8", "Missed answer"),
        ("Q3", "Both accepted"),
        ("Q12", "Both accepted"),
        ("Q7", "Extra answer"),
    ]
    assert panel.rows[5][2] == "1869 · 2010"
    assert panel.rows[5][3] == 0.5
    assert panel.rows[5][4] == "Accepted with a change"


def test_an_unanswered_question_shows_no_one_elses_answers(world, now):
    """Q14 waits for its second annotator, who may be a member of the team."""
    panel = disagreements.build_disagreements_panel(Request(world.project, Filters(), now))

    asked = {row[0].href for row in panel.rows}
    assert not any(str(world.questions["Q14"].pk) in address.split("/") for address in asked)


# --- filters and nothing -------------------------------------------------------------------------


def panels(project):
    return find_report(project, "agreement").entries(project)


def test_a_period_before_the_work_leaves_nothing(world, now):
    yesterday = now.date() - dt.timedelta(days=1)
    request = Request(world.project, Filters(until=yesterday), now)

    assert {entry.key: list(entry.panel(request).rows) for entry in panels(world.project)} == {
        entry.key: [] for entry in panels(world.project)
    }


def test_the_day_of_the_work_is_in_its_period(world, now):
    day = Filters(since=now.date(), until=now.date())

    for entry in panels(world.project):
        if entry.key in ("figures", "warnings"):
            continue
        whole = entry.panel(Request(world.project, Filters(), now))
        assert entry.panel(Request(world.project, day, now)).rows == whole.rows, entry.key


def test_two_people_without_a_common_question_have_nothing_in_common(world, now):
    chosen = {"person": world.ann.pk, "other": world.val.pk}

    assert rows(over_time.build_weeks_panel, world.project, now, **chosen) == []
    assert rows(disagreements.build_disagreements_panel, world.project, now, **chosen) == []
    assert len(rows(people_pairs.build_pairs_panel, world.project, now, **chosen)) == 2


def test_an_empty_project_has_empty_panels(project, now):
    request = Request(project, Filters(), now)

    for entry in panels(project):
        panel = entry.panel(request)
        assert (list(panel.rows), panel.n) == ([], 0), entry.key
        assert panel.needs, entry.key


def test_the_whole_report_reads_little(world, now, django_assert_max_num_queries):
    with django_assert_max_num_queries(14):
        request = Request(world.project, Filters(), now)
        for entry in panels(world.project):
            entry.panel(request)


# --- known rates ---------------------------------------------------------------------------------


def test_a_simulated_project_gives_the_rates_it_was_made_with(project, now):
    """Rates of the paper: 37 % match, 39 % are accepted, 24 % changed, two thirds by edits."""
    drawn = random.Random(16)
    request = Request(project, Filters(), now)
    request._read[facts.select_facts] = [simulated(number, drawn) for number in range(4000)]
    found = {name: row[1] for name, row in by_first_of(outcomes.build_outcomes_panel(request))}
    split = over_time.build_splits_panel(request).rows[0]

    for name, rate in (
        ("All answers match", 0.37),
        ("Accepted as written", 0.39),
        ("Changed by an edit", 0.16),
        ("Changed by an exclusion alone", 0.08),
    ):
        assert found[name].n == 4000
        assert found[name].low < rate < found[name].high, name
    # F1 is 1 where all match, a half where one of two answers is shared: 0.37 + 0.63 / 2.
    assert split[1].low < 0.685 < split[1].high
    assert split[2].low < 0.37 < split[2].high
    assert split[3].low < 0.76 < split[3].high


def by_first_of(panel):
    return [(row[0], row[1:]) for row in panel.rows]


def simulated(number, drawn):
    asked = facts.Asked(number, "when", "dev", dt.date(2026, 3, 2), frozenset({1, 2}))
    mine, theirs = (("1843",), ("1869",)), (("1843",), ("2010",))
    chance = drawn.random()
    if chance < 0.37:
        row = AgreementFacts(str(number), "auto_accepted", True, given(mine, mine))
        return asked, row
    change = "none" if chance < 0.76 else "edit" if chance < 0.92 else "exclusion"
    state = "accepted" if change == "none" else "edited"
    decided = DecisionInForce("validation", state, change, (mine, theirs))
    return asked, AgreementFacts(str(number), state, True, given(mine, theirs), decided=decided)


def given(*answers):
    return tuple(SubmittedAnswers(place, "multiple", each) for place, each in enumerate(answers, 1))
