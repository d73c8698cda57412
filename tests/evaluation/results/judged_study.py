"""A study that has been judged, drawn by a seed: three systems, every pair, two raters."""

import random
from itertools import combinations

from django.utils import timezone

from annotation.models import LongAnswer
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.factories import (
    compared,
    make_item,
    make_judgment,
    make_output,
    make_questions,
    make_study,
    make_system,
)

STRENGTH = {"Strong": 2.0, "Middling": 0.7, "Weak & poor": 0.0}
TEXTS = {
    "Strong": asqa.TEXT,
    "Middling": "The tunnel opened on 25 March 1843.",
    "Weak & poor": "No one knows.",
}


def make_judged(project, *, questions=6, raters=2, seed=7, **fields):
    """Return the study; judgments are made elsewhere, and the first pair is seen again."""
    chance = random.Random(seed)
    systems = [make_system(project, name) for name in STRENGTH]
    rows = make_questions(project, questions)
    LongAnswer.objects.create(
        question=rows[0], text="It opened to walkers in 1843.", created_at=timezone.now()
    )
    for system in systems:
        for row in rows:
            make_output(system, row, TEXTS[system.name])
    study = make_study(project, systems, **{"pairing": "all"} | fields)
    for row in rows:
        for pair in combinations(systems, 2):
            item = make_item(study, row, *pair)
            for number in range(1, raters + 1):
                _judge(item, f"Rater {number}", chance)
    again = study.items.first()
    repeat = make_item(study, again.question, again.first, again.second, repeats=again)
    _judge(repeat, "Rater 1", chance)
    return study


def _judge(item, name, chance):
    swapped = chance.random() < 0.5
    shown = [item.second, item.first] if swapped else [item.first, item.second]
    found = [
        tuple(chance.random() < (STRENGTH[system.name] + 0.5) / 3 for _ in range(2))
        for system in shown
    ]
    gap = STRENGTH[shown[0].name] - STRENGTH[shown[1].name]
    choices = [_choice(gap + chance.gauss(0, 0.8)) for _ in range(3)]
    make_judgment(item, compared(*found, choices, "It says more."), name, swapped=swapped)


def _choice(gap):
    return "tie" if abs(gap) < 0.3 else "left" if gap > 0 else "right"
