"""What experts read of each other once all of them have judged alone, and what they agreed on (N9).

A study of experts shows an answer here when nobody can still judge any answer to its question: the
reasons given about one would tell about the others. Experts see the answers that they have judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.core.models.questions import display_form
from annotation.exports.rows import fetch
from annotation.models import Project
from evaluation.consensus.models import Consensus
from evaluation.studies.models import Item, Judgment, Study

VERDICTS: Mapping[str, str] = {value: str(label) for value, label in Consensus.Verdict.choices}
PAGE = 50

# The judgments `j` that count, with their submission `b` and its assignment `a`.
_COUNTED = """
    evaluation_judgment j
    LEFT JOIN annotation_submission b ON b.id = j.submission_id
    LEFT JOIN annotation_assignment a ON a.id = b.assignment_id"""
_COUNTS = "(j.submission_id IS NULL OR (a.state = 'submitted' AND a.used))"
# Whether somebody may still judge an answer to the question of item `i` of study `s`: judgments are
# missing while it runs, or somebody holds one of its tasks.
_BLIND = f"""(
    s.state = 'running' AND EXISTS (
        SELECT 1 FROM evaluation_item o WHERE o.study_id = s.id AND o.question_id = i.question_id
          AND s.raters > (SELECT count(*) FROM {_COUNTED} WHERE j.item_id = o.id AND {_COUNTS}))
    OR EXISTS (
        SELECT 1 FROM annotation_task t JOIN annotation_assignment h ON h.task_id = t.id
        WHERE t.question_id = i.question_id AND split_part(t.unit, '-', 1) = s.id::text
          AND h.stage = 'expert' AND h.state IN ('active', 'parked')))"""  # noqa: S608
# The order of the verdicts tells nothing about who gave them or when.
_PANEL = f"""
    SELECT i.id, s.id, s.title, s.state, q.text, COALESCE(c.verdict, ''),
           array_agg(COALESCE(b.response, j.response) ->> 'verdict' ORDER BY md5(j.id::text))
    FROM evaluation_study s
    JOIN evaluation_item i ON i.study_id = s.id AND i.repeats_id IS NULL
    JOIN annotation_question q ON q.id = i.question_id
    JOIN {_COUNTED} ON true
    LEFT JOIN evaluation_consensus c ON c.item_id = i.id
    WHERE s.project_id = %(project)s AND s.pairing = 'expert' AND j.item_id = i.id AND {_COUNTS}
      AND %(study)s IN (0, s.id) AND %(item)s IN (0, i.id) AND NOT {_BLIND}
    GROUP BY i.id, s.id, q.id, c.id
    HAVING %(expert)s = 0 OR bool_or(j.judge_id = %(expert)s)"""  # noqa: S608
_LIST = f"""
    WITH panel (item, study, title, state, text, agreed, verdicts) AS ({_PANEL})
    SELECT * FROM panel WHERE (agreed = '') = %(waiting)s
    ORDER BY cardinality(ARRAY(SELECT DISTINCT unnest(verdicts))) = 1, study, item
    LIMIT %(limit)s OFFSET %(offset)s"""  # noqa: S608
_COUNT = f"""
    WITH panel (item, study, title, state, text, agreed, verdicts) AS ({_PANEL})
    SELECT count(*) FILTER (WHERE agreed = ''), count(*) FILTER (WHERE agreed <> '')
    FROM panel"""  # noqa: S608


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
    [(waiting, agreed)] = fetch(_COUNT, _values(project, expert, study))
    return waiting, agreed


def list_answers(
    project: Project, *, waiting: bool, expert: int = 0, study: int = 0, place: int = 0
) -> list[ConsensusRow]:
    """Return a page of answers and one more; those on which experts differ first. One query."""
    values = _values(project, expert, study)
    values |= {"waiting": waiting, "limit": PAGE + 1, "offset": place}
    return [_row(*row) for row in fetch(_LIST, values)]


def find_answer(project: Project, item: int, *, expert: int = 0) -> ConsensusRow | None:
    """Return one answer, None while somebody may still judge it, or if the expert did not."""
    found = fetch(_PANEL, _values(project, expert, item=item))
    return _row(*found[0]) if found else None


def list_opinions(item: Item, *, expert: int = 0) -> list[Opinion]:
    """Return what each expert said, in the order in which a row has the verdicts. One query."""
    spoken = fetch(
        f"""
        SELECT j.judge_id, COALESCE(b.response, j.response) ->> 'verdict',
               COALESCE(b.response, j.response) ->> 'why'
        FROM {_COUNTED} WHERE j.item_id = %(item)s AND {_COUNTS} ORDER BY md5(j.id::text)
        """,  # noqa: S608
        {"item": item.pk},
    )
    return [
        Opinion(f"Expert {number}", judge == expert, verdict, VERDICTS.get(verdict, ""), why or "")
        for number, (judge, verdict, why) in enumerate(spoken, start=1)
    ]


def shows_others(judgment: Judgment) -> bool:
    """Whether its author can read what other experts said of the same answer. Two queries."""
    judged = find_answer(judgment.item.study.project, judgment.item_id)
    return judged is not None and len(judged.verdicts) > 1


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
