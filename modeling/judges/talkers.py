"""The language models of this installation that can judge, and talking with one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modeling import weights
from modeling.base import MissingModel
from modeling.judges.models import JudgeModel

if TYPE_CHECKING:
    from modeling.llm import Client

_ROLE: Final = "language-model"
_TALKERS: Final = JudgeModel.Talker


@dataclass(frozen=True)
class JudgeOffer:
    """A model that a study can add. host: whom items are sent to, "" where they stay here."""

    talker: str
    model: str
    host: str


def list_offers() -> list[JudgeOffer]:
    """Return the models that could judge here now. Loads none of them."""
    offers = []
    for talker in _TALKERS.values:
        try:
            offers.append(describe_talker(talker))
        except MissingModel:
            continue
    return offers


def describe_talker(talker: str) -> JudgeOffer:
    """Return the model that is there now. Raises MissingModel where there is none."""
    if talker == _TALKERS.ENDPOINT:
        from modeling.llm import get_endpoint  # loads the library of requests

        endpoint = get_endpoint()
        return JudgeOffer(talker, endpoint.model, endpoint.host)
    own = weights.get_weights(_ROLE)
    return JudgeOffer(talker, f"{own.name} {own.version}", "")


def open_client(judge: JudgeModel) -> "Client":
    """Return a client of a judge model.

    Raises MissingModel where this installation has another model now, or none.
    """
    offer = describe_talker(judge.talker)
    if (offer.model, offer.host) != (judge.model, judge.host):
        now_there = f"{offer.model} at {offer.host}" if offer.host else offer.model
        raise MissingModel(
            f"This installation now has {now_there}, and the judge is {judge.model}. Set it up "
            "again, or add the other model as a judge of its own."
        )
    from modeling.llm import Client, get_endpoint

    if judge.talker == _TALKERS.ENDPOINT:
        return Client(get_endpoint())
    from modeling.baselines.local import Local  # loads the search of passages

    return Local(weights.get_weights(_ROLE))
