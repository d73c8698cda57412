"""A simulated crowd: the careless tenth is found by gold items, careful people go on working."""

import random

import pytest

from annotation.core.refusals import Denied
from annotation.golds.queries import rule_of
from annotation.models import GoldFlag, GoldVerdict, Submission
from metrics.gold_items import count_golds_needed, flag_probabilities
from tests import factories, plans
from tests.annotation.golds import checks

pytestmark = pytest.mark.patience(3)
PEOPLE, CARELESS, ROUNDS = 20, 2, 36
MISSES = {"careless": 0.7, "careful": 0.03}


def test_the_careless_tenth_is_found_and_careful_people_are_not_paused():
    draw = random.Random(18)
    project = checks.make(130, people=4)
    plan = checks.plan(project, rate=30, enough=5, missed=3)
    crowd = [factories.make_member(project, "annotator") for _ in range(PEOPLE)]
    kinds = {user: "careless" if n < CARELESS else "careful" for n, user in enumerate(crowd)}
    done = dict.fromkeys(crowd, 0)
    for number in range(ROUNDS):
        if number & (number - 1) == 0:
            plans.count_rows()
        for user in crowd:
            try:
                work = checks.take(user, project)
            except Denied:
                continue  # paused
            if work is None:
                continue
            wrong = draw.random() < MISSES[kinds[user]]
            checks.submit(work, ("yes" if wrong else "no") if work.gold else "yes")
            done[user] += 1

    rule = rule_of(plan)
    seen = {
        kind: [
            GoldVerdict.objects.filter(user=user).count() for user in crowd if kinds[user] == kind
        ]
        for kind in MISSES
    }
    items = round(sum(seen["careful"]) / len(seen["careful"]))
    expected = {kind: flag_probabilities(error, rule, items)[-1] for kind, error in MISSES.items()}
    alarms = sum(flag_probabilities(MISSES["careful"], rule, n)[-1] for n in seen["careful"] if n)
    caught = set(GoldFlag.objects.values_list("user", flat=True))
    told = [
        f"{PEOPLE} people, {CARELESS} careless, {plan.items.count()} gold items drawn",
        f"gold items seen: {items} by careful people, {seen['careless']} by careless ones",
        *(
            f"{kind}: misses {error:.0%}, flagged within {items} items with {expected[kind]:.1%}, "
            f"with 95 % after {count_golds_needed(error, rule)} items"
            for kind, error in MISSES.items()
        ),
        f"flagged: {len(caught)}; careful people expected among them: {alarms:.2f}",
    ]
    print("\n".join(told))  # noqa: T201 - the power, to read

    assert {user.pk for user in crowd if kinds[user] == "careless"} <= caught
    assert len(caught) - CARELESS <= 1
    assert alarms < 0.5
    assert expected["careless"] > 0.9
    # Paused people did less than others, and no gold item became data.
    assert max(done[user] for user in crowd[:CARELESS]) < ROUNDS
    assert not Submission.objects.filter(assignment__gold=True, assignment__used=True).exists()
