"""Which settings of gold items make sense."""

from annotation.core.refusals import Conflict
from annotation.golds.models import MOST_RATE, GoldPlan
from annotation.stages import registry as stages
from annotation.stages.gold_items import sources_of


def check_settings(
    stage: stages.Stage,
    *,
    rate: int,
    source: str,
    seed: int,
    enough: int,
    missed: int | None,
    share: int | None,
    both: bool,
    pauses: bool,
) -> None:
    """Raise Conflict with a sentence if the settings cannot be applied."""
    if rate and stage.golds is None:
        raise Conflict(f"{stage.no_golds} Leave the rate at 0.")
    if not 0 <= rate <= MOST_RATE:
        raise Conflict(f"The rate goes from 0 to {MOST_RATE} per cent.")
    if source not in (sources_of(stage.golds) or GoldPlan.Source.values):
        raise Conflict("Choose where gold items come from.")
    if not -(2**63) <= seed < 2**63:
        raise Conflict("The seed has too many digits.")
    if missed is None and share is None:
        raise Conflict("Say how many or what share of gold items a person may miss.")
    if enough < 1 or (missed is not None and missed < 1):
        raise Conflict("The rule counts from 1.")
    if share is not None and not 1 <= share <= 100:
        raise Conflict("The share goes from 1 to 100 per cent.")
