"""Several baselines that vote (A93)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from modeling import outputs, registry, weights
from modeling.base import (
    ANSWERS,
    PAIRS,
    PASSAGES,
    BadOption,
    Baseline,
    BaselineQuestion,
    Corpus,
    MissingModel,
    Prediction,
)
from modeling.baselines.questions import QD_OPTIONS, Disambiguator, list_written_roles
from modeling.baselines.weighted import QuestionPassages, mark_if_unanswered
from modeling.options import check_names, one_of
from modeling.retrieval import RETRIEVAL_OPTIONS, build_searcher

_MOST: Final = 16  # as many as the paper trains
_AT_ONCE = 16
_MAJORITY: Final = "majority"
_VOTES: Final = ("most", _MAJORITY)
_SETS = "Set the option “of” to the baselines that vote, such as of=span-seq-gen,thresholding."


class Ensemble:
    """The answers that most of several baselines give (A93); its members have one vote each.

    Option `of`: the members, with commas between; KEY@NAME is one with weights of its own. Option
    `vote`: `most`, the answers with the most votes, as in the paper; or `majority`, all that more
    than half of the members give. The options for retrieval are passed on to members that search
    passages.
    """

    key = "ensemble"
    label = "Ensemble that votes"
    gives: frozenset[str] = frozenset({PASSAGES, ANSWERS})
    more: tuple[str, ...] = ()

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        check_names(options, "of", "vote", *RETRIEVAL_OPTIONS, *self.more)
        self._majority = one_of(options, "vote", _VOTES) == _MAJORITY
        build_searcher(corpus, options, self.label)
        names = [name.strip() for name in options.get("of", "").split(",")]
        if len(names) < 2 or not all(names):
            raise BadOption(f"{_SETS} It takes at least two.")
        if len(names) > _MOST or len(set(names)) < len(names):
            raise BadOption(f"{_SETS} It takes each of them once, and up to {_MOST}.")
        retrieval = {name: options[name] for name in RETRIEVAL_OPTIONS if name in options}
        self._members = [_member(name, corpus, retrieval) for name in names]

    @property
    def version(self) -> str:
        """Its number, and a hash of the members' keys and versions."""
        uses = repr([*self._uses(), *([_MAJORITY] if self._majority else [])]).encode()
        return f"1-{hashlib.blake2b(uses, digest_size=6).hexdigest()}"

    def _uses(self) -> list[str]:
        return [f"{member.key} {member.version}" for member in self._members]

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for start in range(0, len(asked), _AT_ONCE):
            yield from self._together(asked[start : start + _AT_ONCE])

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        columns = [list(member.predict(asked)) for member in self._members]
        return [_voted(row, self._majority) for row in zip(*columns, strict=True)]


class EnsembleQD(Ensemble):
    """The ensemble, then a question for each answer, from the passages of the first that has any.

    Option `qd`: the weights that write questions.
    """

    key = "ensemble-qd"
    label = "Ensemble that votes, and questions"
    gives = Ensemble.gives | {PAIRS}
    more: tuple[str, ...] = ("qd", *QD_OPTIONS)

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        roles = list_written_roles(("qd",), options)
        self.more = (*roles, *QD_OPTIONS)
        super().__init__(corpus, options)
        own = [weights.get_weights(role, options.get(role, "")) for role in roles]
        self._written_by = [each.version for each in own]
        self._disambiguator = Disambiguator(own[0] if own else None, options)

    def _uses(self) -> list[str]:
        return [*super()._uses(), *self._written_by, "a pair for each answer"]

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        voted = super()._together(asked)
        together = [
            QuestionPassages(question, prediction.passages)
            for question, prediction in zip(asked, voted, strict=True)
        ]
        return self._disambiguator.pair_predictions(together, voted)


def _member(name: str, corpus: Corpus | None, retrieval: dict[str, str]) -> Baseline:
    key, at, model = name.partition("@")
    if key in (Ensemble.key, EnsembleQD.key):
        raise BadOption(f"An ensemble cannot be in an ensemble. {_SETS}")
    options = {"model": model} if at else {}
    try:
        if registry.get_baseline(key).searches:
            member = registry.build_baseline(key, corpus, options | retrieval)
        else:
            member = registry.build_baseline(key, None, options)
    except MissingModel as problem:
        raise type(problem)(f"“{name[:60]}” cannot vote. {problem}") from None
    if ANSWERS not in member.gives or getattr(member, "only_lists", False):
        raise BadOption(f"“{key}” gives no short answers, so it cannot vote. {_SETS}")
    return member


def _voted(row: Sequence[Prediction], majority: bool) -> Prediction:
    costs = [prediction.cost for prediction in row if prediction.cost is not None]
    prediction = Prediction(
        row[0].id,
        passages=next((one.passages for one in row if one.passages), ()),
        answers=outputs.vote_on_answers(row, majority=majority),
        tokens_in=sum(one.tokens_in for one in row),
        tokens_out=sum(one.tokens_out for one in row),
        cost=sum(costs, Decimal(0)) if costs else None,
    )
    return mark_if_unanswered(prediction, "None of the members gave an answer.")
