"""How soon gold items find a careless person, and how often they accuse a careful one.

A person answers gold items one after the other and misses each with the same probability e. A rule
looks after each of them: it flags whoever has seen at least `enough` and missed at least `missed`
of them, or at least `share` of them, or, with `both`, only those to whom both applies. All figures
are exact: the probability of each number of misses is carried from item to item, and what the rule
flags is taken out.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """Flags a person who has seen `enough` gold items and missed too many; None asks nothing.

    both: `missed` and `share` have to be reached, where both are asked for; else either.
    """

    enough: int = 5
    missed: int | None = 3
    share: float | None = None
    both: bool = False

    def flags(self, seen: int, missed: int) -> bool:
        """Return whether the rule flags a person with these counts.

        >>> Rule(5, 3).flags(5, 3), Rule(5, 3).flags(4, 4), Rule(5, None, 0.5).flags(6, 3)
        (True, False, True)
        >>> Rule(5, 3, 0.25, both=True).flags(12, 3), Rule(5, 3, 0.25, both=True).flags(13, 3)
        (True, False)
        """
        if seen < self.enough or missed < 1:
            return False
        asked = []
        if self.missed is not None:
            asked.append(missed >= self.missed)
        if self.share is not None:
            asked.append(missed >= self.share * seen)
        return bool(asked) and (all if self.both else any)(asked)


def flag_probabilities(error: float, rule: Rule, items: int) -> list[float]:
    """Return for 1 to `items` gold items the probability that the person is flagged by then.

    ``error`` is the probability that they miss one. Raises ``ValueError`` unless it lies between 0
    and 1.

    >>> [round(p, 3) for p in flag_probabilities(0.5, Rule(2, 2), 4)]
    [0.0, 0.25, 0.5, 0.688]
    """
    if not 0 <= error <= 1:
        raise ValueError(f"an error rate lies between 0 and 1, not at {error}")
    going = {0: 1.0}  # the number of misses -> the probability of it, and of no flag so far
    caught, curve = 0.0, []
    for seen in range(1, items + 1):
        after: dict[int, float] = {}
        for missed, chance in going.items():
            after[missed] = after.get(missed, 0.0) + chance * (1 - error)
            after[missed + 1] = after.get(missed + 1, 0.0) + chance * error
        caught += sum(chance for missed, chance in after.items() if rule.flags(seen, missed))
        going = {missed: p for missed, p in after.items() if not rule.flags(seen, missed)}
        curve.append(min(caught, 1.0))
    return curve


def count_golds_needed(
    error: float, rule: Rule, *, sure: float = 0.95, most: int = 500
) -> int | None:
    """Return how many gold items flag such a person with probability `sure`, None if over `most`.

    >>> count_golds_needed(1.0, Rule(5, 3)), count_golds_needed(0.5, Rule(5, 3)),
    count_golds_needed(0.0, Rule(5, 3)) (5, 11, None)
    """
    curve = flag_probabilities(error, rule, most)
    return next((seen for seen, chance in enumerate(curve, 1) if chance >= sure), None)
