"""What people compare in the tests of results."""

import json

from evaluation.results.counts import compute_figures
from evaluation.studies.judgment_values import ItemJudgment

OVERALL = [{"key": "overall", "label": "Overall impression"}]


def vote(question, left, right, choice, *, pair=None, judge="ann", repeat=False, **more):
    """A judgment on one criterion; the pair is that of the question unless it is given."""
    return ItemJudgment(
        question=question,
        pair=int(question[1:]) if pair is None else pair,
        left=left,
        right=right,
        judge=judge,
        repeat=repeat,
        choices={"overall": choice},
        **more,
    )


def made(judged, *, criteria=OVERALL, seed=1, **options):
    found = compute_figures(judged, criteria=criteria, seed=seed, resamples=200, **options)
    json.dumps(found, allow_nan=False)  # what is stored must be JSON
    return found


def many(*, questions=20, choices=(-1,)):
    """Comparisons of A (left) and B."""
    return [vote(f"q{n}", "A", "B", choices[n % len(choices)]) for n in range(questions)]


def verdicts(*words, system="A", judge="ann"):
    return [
        ItemJudgment(question=f"q{n}", pair=n, left=system, judge=judge, verdict=word)
        for n, word in enumerate(words)
    ]
