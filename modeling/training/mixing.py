"""Other projects whose examples are learnt from as well: QAMPARI's mixed regimes (Q26)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from accounts.models import User
from annotation.core.refusals import Denied
from annotation.models import Project
from evaluation.systems.policies import check_can_import_outputs
from modeling.base import BadOption
from modeling.training.building import ExampleBuilder
from modeling.training.examples import Example

MOST_TIMES: Final = 10
MOST_OTHERS: Final = 5


@dataclass(frozen=True)
class OtherExamples:
    """The examples of another project, and how often each is read in an epoch."""

    project: Project
    times: int
    builder: ExampleBuilder
    examples: Sequence[Example]

    def describe(self) -> str:
        """Return how much of the project is learnt from."""
        counts = self.builder.counts
        left_out = ", ".join(
            f"{count:,} {why.replace('_', ' ')}" for why, count in sorted(counts.left_out.items())
        )
        return f"{counts.used:,} questions, {self.times} in an epoch" + (
            f" (left out: {left_out})" if left_out else ""
        )


def read_also(texts: Sequence[str]) -> dict[str, int]:
    """Read PROJECT:N, how often the examples of a project are read. Raises BadOption."""
    also: dict[str, int] = {}
    for text in texts:
        slug, _, times = text.rpartition(":")
        if not slug or not (times.isascii() and times.isdigit() and len(times) < 4):
            raise BadOption(f"“{text[:60]}”: write it as PROJECT:N, such as nq:1.")
        if slug in also:
            raise BadOption(f"“{slug[:60]}” is named twice. Name it once, as {slug[:60]}:N.")
        also[slug] = int(times)
    return also


def find_others(
    also: Mapping[str, int], project: Project, by: User | None
) -> list[tuple[Project, int]]:
    """Return the other projects, each with how often its examples are read.

    by: who trains, who must be staff of each as of the project itself; None for a command. Raises
    BadOption, in the same words where a project is not there and where it is not theirs.
    """
    if len(also) > MOST_OTHERS:
        raise BadOption(f"Name {MOST_OTHERS} other projects at most.")
    found = {other.slug: other for other in Project.objects.filter(slug__in=list(also))}
    for slug, times in also.items():
        if not 1 <= times <= MOST_TIMES:
            raise BadOption(f"“{slug[:60]}:{times}”: read its examples 1 to {MOST_TIMES} times.")
        if slug == project.slug:
            raise BadOption(f"“{slug}” is the project itself: raise the number of epochs instead.")
        if slug not in found or not _may_train(by, found[slug]):
            raise BadOption(f"There is no other project “{slug[:60]}” whose data you may train on.")
    return [(found[slug], times) for slug, times in also.items()]


def _may_train(by: User | None, project: Project) -> bool:
    if by is None:
        return True
    try:
        check_can_import_outputs(by, project)
    except Denied:
        return False
    return True


def mix_examples(own: Sequence[Example], others: Sequence[OtherExamples]) -> list[Example]:
    """Return a project's examples, then those of the others as often as they are read."""
    mixed = list(own)
    for other in others:
        mixed.extend(list(other.examples) * other.times)
    return mixed
