"""Whether an annotator's work says that they can validate (A58)."""

from collections.abc import Sequence

from metrics.proportions import wilson_interval

# What generators are expected to find, in the order of the table.
EXPECTED = {"multiple": 0.35, "single": 0.60, "none": 0.05}
MORE_TASKS_THAN, CORRECT_FROM = 50, 0.90
RULE = (
    f"Can validate: more than {MORE_TASKS_THAN} questions, at least {CORRECT_FROM:.0%} of those "
    "judged are correct, and one clear answer and not found are not significantly more often than "
    f"the {EXPECTED['single']:.0%} and {EXPECTED['none']:.0%} expected."
).replace("%", " %")


def can_validate(kinds: Sequence[str], judged: Sequence[bool]) -> bool:
    """Whether somebody has answered enough, rightly, and not too often with one answer or none.

    kinds: "multiple", "single" or "none" of each of their questions; judged: whether they were
    correct, of those that are decided.
    """
    n = len(kinds)
    if n <= MORE_TASKS_THAN or not judged or sum(judged) < CORRECT_FROM * len(judged):
        return False
    return all(
        wilson_interval(kinds.count(kind), n)[0] <= EXPECTED[kind] for kind in ("single", "none")
    )
