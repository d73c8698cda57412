"""Simulated studies whose truth is known.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.studies --studies 200 --table

(one thread, because small matrices are slower on several)

The people and systems of a simulation are made so that the truth is exact:

* Each answer has a quality, which is its system's log-strength plus noise from a Gumbel
  distribution. The chance that the one of two is better is then exactly that of Bradley and Terry.
  With the chance `shared` a rater goes by the noise of the answer, which all raters and all pairs
  of that answer share; else by noise of their own. Two raters' choices correlate by `shared`².
* With the chance `ties` a rater says that both are equally good, and with the chance `left` they
  take the left answer whatever it says.
* How much an answer captures comes from a beta distribution around its system's rate; a rater
  marks each disambiguation wrongly with the chance `slips`.
"""

import math
import random
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.timing import taking
from evaluation.results.counts import compute_figures
from evaluation.studies.design import plan_items
from evaluation.studies.estimates import half_width
from evaluation.studies.judgment_values import ItemJudgment
from metrics import pairs

CRITERION = "overall"


@dataclass(frozen=True)
class World:
    """The truth of a simulation: log-strengths and rates by system, and how people judge."""

    strengths: Mapping[str, float]
    rates: Mapping[str, float]
    shared: float = 0.7
    ties: float = 0.15
    left: float = 0.05
    slips: float = 0.05
    spread: float = 2.0  # of the beta distribution: rates of answers differ less with more

    @property
    def systems(self) -> list[str]:
        """Names, in the order of the ids that a plan has: from 0."""
        return list(self.strengths)

    def worth(self, system: str, other: str) -> float:
        """Return the points to expect of a comparison, sides drawn by chance, from 0 to 1."""
        wins = 1 / (1 + math.exp(self.strengths[other] - self.strengths[system]))
        return self.left / 2 + (1 - self.left) * (self.ties / 2 + (1 - self.ties) * wins)

    def points(self) -> dict[str, float]:
        """Return the points of each system that meets all others equally often."""
        return {
            system: 100
            * statistics.fmean(
                self.worth(system, other) for other in self.systems if other != system
            )
            for system in self.systems
        }

    def logs(self) -> dict[str, float]:
        """Return the strengths that endlessly many judgments would give, as logarithms.

        Without ties and without people who favour a side they are `strengths`; both pull
        strengths towards 0.
        """
        wins = [
            [0.0 if one == other else self.worth(one, other) for other in self.systems]
            for one in self.systems
        ]
        logs = pairs.estimate_strengths([wins], 0, "log")
        return {system: float(x) for system, x in zip(self.systems, logs, strict=True)}

    def acc(self) -> dict[str, float]:
        """Return the ACC of each system that raters with slips give."""
        return {s: 100 * (r + self.slips - 2 * r * self.slips) for s, r in self.rates.items()}


def simulate(
    world: World,
    *,
    questions: int,
    pairing: str,
    raters: int,
    seed: int,
    repeats: int = 0,
    reference: int | None = None,
) -> list[ItemJudgment]:
    """Return the judgments of a study that `plan_items` planned."""
    chance = random.Random(f"{seed} people")
    items = plan_items(
        range(questions),
        range(len(world.systems)),
        pairing=pairing,
        reference=reference,
        repeats=repeats,
        seed=seed,
    )
    noise: dict[tuple[int, int], float] = defaultdict(lambda: _gumbel(chance))
    captured: dict[tuple[int, int], list[bool]] = {}
    sizes = [chance.choice((2, 2, 3, 3, 4, 5)) for _ in range(questions)]
    judged = []
    for place, item in enumerate(items):
        shown = [item.first] if item.second is None else [item.first, item.second]
        for system in shown:
            if (item.question, system) not in captured:
                rate = world.rates[world.systems[system]]
                own = chance.betavariate(rate * world.spread, (1 - rate) * world.spread)
                marks = [chance.random() < own for _ in range(sizes[item.question])]
                captured[item.question, system] = marks
        for rater in range(raters):
            swapped = item.swapped ^ (rater % 2 == 1) ^ (item.repeats is not None)
            sides = shown[::-1] if swapped else shown
            told = [
                tuple(mark ^ (chance.random() < world.slips) for mark in captured[item.question, s])
                for s in sides
            ]
            judged.append(
                ItemJudgment(
                    question=f"q{item.question}",
                    pair=place if item.repeats is None else item.repeats,
                    left=world.systems[sides[0]],
                    right=world.systems[sides[1]] if len(sides) > 1 else "",
                    judge=f"rater {rater}",
                    repeat=item.repeats is not None,
                    left_found=told[0],
                    right_found=told[1] if len(told) > 1 else (),
                    choices={CRITERION: _choice(world, item.question, sides, noise, chance)}
                    if len(sides) > 1
                    else {},
                )
            )
    return judged


def _choice(
    world: World,
    question: int,
    sides: Sequence[int],
    noise: Mapping[tuple[int, int], float],
    chance: random.Random,
) -> int:
    if chance.random() < world.left:
        return -1
    if chance.random() < world.ties:
        return 0
    by_answer = chance.random() < world.shared
    left, right = (
        world.strengths[world.systems[system]]
        + (noise[question, system] if by_answer else _gumbel(chance))
        for system in sides
    )
    return -1 if left > right else 1


def _gumbel(chance: random.Random) -> float:
    return -math.log(-math.log(1 - chance.random()))


# --- coverage -----------------------------------------------------------------------------------

NAMES = ("JPR", "T5-C", "T5-O-1", "T5-O-5", "HP without", "HP with")
SIX = World(
    strengths=dict(zip(NAMES, (-0.7, -1.2, -0.4, 0.0, 0.9, 1.4), strict=True)),
    rates=dict(zip(NAMES, (0.35, 0.25, 0.4, 0.5, 0.7, 0.9), strict=True)),
)
THREE = World(
    strengths={"A": -0.5, "B": 0.0, "C": 0.5}, rates={"A": 0.45, "B": 0.6, "C": 0.7}, shared=0.8
)
DESIGNS: Sequence[tuple[str, World, int, str, int]] = (
    ("6 systems, matching", SIX, 12, "matching", 1),
    ("6 systems, matching", SIX, 45, "matching", 1),
    ("6 systems, matching", SIX, 45, "matching", 2),
    ("3 systems, all pairs", THREE, 10, "all", 3),
    ("3 systems, all pairs", THREE, 100, "all", 3),
)


@dataclass
class Studies(Benchmark):
    """How often do the 95 % intervals of a study hold the truth?"""

    studies: int = option(200, "simulations of each design")
    resamples: int = option(1000)
    seed: int = option(1)

    def measure(self) -> Iterator[dict[str, Any]]:
        """Yield the figures of each design."""
        for design in DESIGNS:
            with taking() as taken:
                row = self._measure_design(*design)
            yield row | {"processor s": round(taken.processor)}

    def _measure_design(
        self, name: str, world: World, questions: int, pairing: str, raters: int
    ) -> dict[str, Any]:
        held: dict[str, list[float]] = defaultdict(list)
        widths = []
        for study in range(self.studies):
            seed = self.seed * 1_000_000 + study
            judged = simulate(world, questions=questions, pairing=pairing, raters=raters, seed=seed)
            found = compute_figures(
                judged, criteria=[{"key": CRITERION}], seed=seed, resamples=self.resamples
            )
            for figure, share in _held(world, found).items():
                held[figure].append(share)
            points = found["criteria"][0]["points"].values()
            widths.append(statistics.fmean((each["high"] - each["low"]) / 2 for each in points))
        expected = half_width(
            questions, len(world.systems), pairing=pairing, raters=raters, likeness=world.shared**2
        )
        return {
            "design": name,
            "questions": questions,
            "raters": raters,
            "ACC": _share(held["acc"]),
            "points": _share(held["points"]),
            "Bradley-Terry": _share(held["logs"]),
            "width": f"± {statistics.fmean(widths):.1f}",
            "estimated": f"± {expected:.1f}",
        }


def _held(world: World, found: Mapping[str, Any]) -> dict[str, float]:
    """Return the share of systems whose interval holds the truth, by figure."""
    [criterion] = found["criteria"]
    made = {
        "acc": (world.acc(), found["acc"]),
        "points": (world.points(), criterion["points"]),
        "logs": (world.logs(), {s: v["log"] for s, v in criterion["strengths"].items()}),
    }
    return {
        figure: statistics.fmean(
            values[system]["low"] <= truth[system] <= values[system]["high"] for system in truth
        )
        for figure, (truth, values) in made.items()
    }


def _share(shares: Sequence[float]) -> str:
    """Return a mean in per cent with its Monte-Carlo error: studies are independent."""
    error = statistics.stdev(shares) / math.sqrt(len(shares)) if len(shares) > 1 else math.nan
    return f"{100 * statistics.fmean(shares):.1f} % ± {100 * error:.1f}"


if __name__ == "__main__":
    run_benchmark("studies")
