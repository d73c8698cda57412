"""Who labels, who decides, and which items an expert may not read yet."""

from collections.abc import Collection

from accounts.models import User
from annotation.access.projects import STAFF
from annotation.core.refusals import Conflict, roles_in
from annotation.models import Assignment, Project, Task
from annotation.stages import registry as stages
from evaluation.consensus.policies import check_can_see_panel, expert_of
from evaluation.labelling.models import LabelSample, SampledItem

UNFINISHED = (Assignment.State.ACTIVE, Assignment.State.PARKED)


def check_can_label(user: User, project: Project) -> None:
    """Refuse unless the person is an expert, researcher or admin of the project."""
    check_can_see_panel(user, project)


def is_outside_team(user: User, project: Project) -> bool:
    """Whether the person labels as an expert, who must not know what others wrote."""
    return bool(expert_of(user, project))


def find_closed_questions(user: User, project: Project, questions: Collection[int]) -> set[int]:
    """Return those of the questions on which the person works, or may still be given work.

    An item shows what is accepted, or what systems answered; work begins without knowing it. The
    team knows it all, so nothing is closed to it. Up to four queries.
    """
    roles = roles_in(user, project)
    if STAFF & roles:
        return set()
    own = [stage.key for stage in stages.list_stages() if stage.role in roles]
    asked = Task.objects.filter(question__in=questions, seats__gt=0, policy__stage__in=own)
    held = Assignment.objects.filter(task__question__in=questions, user=user, state__in=UNFINISHED)
    return {
        *asked.values_list("question", flat=True),
        *held.values_list("task__question", flat=True),
    }


def check_is_open(user: User, item: SampledItem) -> None:
    """Refuse to let an expert read what would spoil their own work on the question."""
    if find_closed_questions(user, item.sample.project, [item.question_id]):
        raise Conflict(
            "You may still be asked to answer or judge this question yourself, so you cannot label "
            "it now. Choose another one."
        )


def check_may_delete(sample: LabelSample) -> None:
    """Refuse to delete a sample of which anything was labelled."""
    if sample.items.filter(labellings__isnull=False).exists():
        raise Conflict("Items of this sample are labelled, so it stays.")
