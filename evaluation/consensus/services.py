"""Write what the experts of a study agreed on."""

import datetime as dt

from django.db import transaction

from accounts.models import User
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.work import seats
from evaluation.consensus import panel
from evaluation.consensus.models import Consensus
from evaluation.consensus.policies import check_can_change, check_can_see_panel, expert_of
from evaluation.studies.models import Item, Study

FASTER = (
    "Someone else has written a consensus on this answer meanwhile. It is shown now: read it, then "
    "change it if you must."
)


@transaction.atomic
def write_consensus(
    *,
    item: Item,
    verdict: str,
    justification: str,
    seen: dt.datetime | None,
    by: User,
    now: dt.datetime,
) -> Consensus:
    """Write the one consensus on an answer, or change it; the log has the earlier ones.

    seen: when the consensus that the person read was written, None if there was none. Raises
    Conflict if it is another one now, which a closed study keeps, or somebody may still judge.
    """
    # Nobody can submit, return or exclude a judgment of the question from here on.
    seats.lock_questions([item.question_id])
    study = Study.objects.select_for_update(no_key=True).get(pk=item.study_id)
    check_can_see_panel(by, study.project)
    if panel.find_answer(study.project, item.pk, expert=expert_of(by, study.project)) is None:
        raise Conflict("Not all experts have judged this answer. The consensus comes after that.")
    before = Consensus.objects.filter(item=item).first()
    if (before.created_at if before else None) != seen:
        raise Conflict(FASTER)
    written = {"verdict": verdict, "justification": justification, "made_by": by, "created_at": now}
    if before is None:
        consensus = Consensus.objects.create(item=item, **written)
    elif (before.verdict, before.justification) == (verdict, justification):
        return before
    else:
        check_can_change(study)
        changed = Consensus.objects.filter(pk=before.pk, created_at=before.created_at).update(
            **written
        )
        if not changed:
            raise Conflict(FASTER)
        consensus = Consensus.objects.get(pk=before.pk)
    audit.record_action(
        "consensus_changed" if before else "consensus_reached",
        consensus,
        by=by,
        now=now,
        project=study.project_id,
        verdict=verdict,
        justification=justification,
        **({"before": [before.verdict, before.justification]} if before else {}),
    )
    return consensus
