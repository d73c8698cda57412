"""What experts read of each other once all of them have judged alone, and what they agreed on (N9).

A study of experts shows an answer here when nobody can still judge any answer to its question: the
reasons given about one would tell about the others. Experts see the answers that they have judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.core.models.questions import display_form
from annotation.core.refusals import Conflict
from annotation.exports.rows import fetch_rows
from annotation.models import Project
from evaluation.consensus.models import Consensus
from evaluation.consensus.statements import COUNT_PANEL, LIST_PANEL, OPINIONS, PANEL
from evaluation.studies.models import Item, Judgment, Study

VERDICTS: Mapping[str, str] = {value: str(label) for value, label in Consensus.Verdict.choices}
PAGE = 50


@dataclass(frozen=True)
class ConsensusRow:
    """An answer that all its experts have judged. `agreed`: the verdict of the consensus, or ""."""

    item: int
    study: int
    title: str
    running: bool
    prompt: str
    agreed: str
    verdicts: tuple[str, ...]

    @property
    def differ(self) -> bool:
        """Whether the experts' own verdicts are not the same."""
        return len(set(self.verdicts)) > 1

    @property
    def words(self) -> str:
        """How often each verdict was given, as "2 × correct, 1 × wrong"."""
        times = [(self.verdicts.count(key), label.lower()) for key, label in VERDICTS.items()]
        return ", ".join(f"{count} × {label}" for count, label in times if count)

    @property
    def agreed_label(self) -> str:
        """The verdict of the consensus in words."""
        return VERDICTS.get(self.agreed, "")


@dataclass(frozen=True)
class Opinion:
    """What one expert said before seeing any other, under a name that tells nothing."""

    name: str
    own: bool
    verdict: str
    label: str
    reason: str


def count_answers(project: Project, *, expert: int = 0, study: int = 0) -> tuple[int, int]:
    """Return how many answers wait for a consensus, and how many have one. One query.

    expert: the id of the expert whose answers these are, 0 for all; study: 0 for all.
    """
    [(waiting, agreed)] = fetch_rows(COUNT_PANEL, _values(project, expert, study))
    return waiting, agreed


def list_answers(
    project: Project, *, waiting: bool, expert: int = 0, study: int = 0, place: int = 0
) -> list[ConsensusRow]:
    """Return a page of answers and one more; those on which experts differ first. One query."""
    values = _values(project, expert, study)
    values |= {"waiting": waiting, "limit": PAGE + 1, "offset": place}
    return [_row(*row) for row in fetch_rows(LIST_PANEL, values)]


def find_answer(project: Project, item: int, *, expert: int = 0) -> ConsensusRow | None:
    """Return one answer, None while somebody may still judge it, or if the expert did not."""
    found = fetch_rows(PANEL, _values(project, expert, item=item))
    return _row(*found[0]) if found else None


def list_opinions(item: Item, *, expert: int = 0) -> list[Opinion]:
    """Return what each expert said, in the order in which a row has the verdicts. One query."""
    spoken = fetch_rows(OPINIONS, {"item": item.pk})
    return [
        Opinion(f"Expert {number}", judge == expert, verdict, VERDICTS.get(verdict, ""), why or "")
        for number, (judge, verdict, why) in enumerate(spoken, start=1)
    ]


def shows_others(judgment: Judgment) -> bool:
    """Whether its author can read what other experts said of the same answer. Two queries."""
    judged = find_answer(judgment.item.study.project, judgment.item_id)
    return judged is not None and len(judged.verdicts) > 1


def check_can_return(judgment: Judgment) -> None:
    """Refuse to let an expert judge again who may have read what the others said."""
    if shows_others(judgment):
        raise Conflict(
            "All experts have judged this answer and can read each other’s reasons, so no judgment "
            "of it can change any more. Write a consensus instead."
        )


def read_agreed_verdicts(study: Study) -> dict[int, str]:
    """Return the verdicts that experts agreed on, by the position of the item. One query."""
    agreed = Consensus.objects.filter(item__study=study).order_by("item__position")
    return dict(agreed.values_list("item__position", "verdict"))


def _values(project: Project, expert: int, study: int = 0, item: int = 0) -> dict[str, object]:
    return {"project": project.pk, "expert": expert, "study": study, "item": item}


def _row(
    item: int, study: int, title: str, state: str, text: str, agreed: str, verdicts: list[str]
) -> ConsensusRow:
    running = state == Study.State.RUNNING
    return ConsensusRow(item, study, title, running, display_form(text), agreed, tuple(verdicts))
