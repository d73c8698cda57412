"""A judge model that has judged a study, straight from rows."""

from django.utils import timezone

from annotation.figures import services as figures_services
from modeling.judges.figures import place_figures
from modeling.models import JudgeModel, ModelJudgment
from tests.evaluation.factories import compared


def make_judged_by_model(study, by, response=None, **fields):
    """Return a judge model that said the same of every pair in both orders; one it refused."""
    now = timezone.now()
    defaults = {"talker": "endpoint", "model": "Oracle-9", "host": "models.example.org"}
    judge = JudgeModel.objects.create(
        study=study, prompt=1, allowed_by=by, allowed_at=now, added_by=by, added_at=now,
        **defaults | fields,
    )  # fmt: skip
    said = response or compared(choices=("left", "tie", "left"))
    ModelJudgment.objects.bulk_create(
        ModelJudgment(
            judge=judge, item=item, swapped=swapped, outcome="judged", response=said,
            digest="0" * 64, tokens_in=812, tokens_out=64, cost="0.0021", created_at=now,
        )
        for item in study.items.filter(repeats=None)
        for swapped in (False, True)
    )  # fmt: skip
    last = judge.judgments.last()
    last.outcome, last.response, last.problem = "refused", None, "I do not judge this."
    last.save()
    return judge


def store_judge_figures(study, now):
    """Compute and store the figures of a study's judge models."""
    place = place_figures(study)
    figures_services.store_computed(figures_services.compute_figures(place, now=now))
