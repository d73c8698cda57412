"""A baseline for tests: it says the question backwards, and does what options ask."""

from modeling.base import (
    AnsweredDisambiguation,
    ArticlePassage,
    BadOption,
    MissingModel,
    Prediction,
    ShortAnswer,
)

PASSAGE = ArticlePassage("1", "Thames Tunnel", "It opened in 1843.", path="Thames_Tunnel")


class Tiny:
    key = "tiny"
    label = "Tiny"
    gives = frozenset({"long_answer", "pairs", "passages"})
    version = "1"
    calls = []  # the ids of each call of `predict`

    def __init__(self, corpus, options):
        if "top" in options:
            raise BadOption("This baseline has no option “top”.")
        self.options = options
        if "broken" in options:
            raise MissingModel("The package “tiny” is not installed: pip install tiny.")

    def predict(self, asked):
        self.calls.append([question.id for question in asked])
        for question in asked:
            if question.id == self.options.get("stops"):
                raise MissingModel("The endpoint is silent.")
            if question.id == self.options.get("fails"):
                yield Prediction(question.id, problem="The reply is too long.")
                continue
            yield Prediction(
                question.id,
                passages=(PASSAGE,),
                pairs=(
                    AnsweredDisambiguation(
                        question.question, (ShortAnswer("1843", ("in 1843",), PASSAGE),)
                    ),
                ),
                long_answer=question.question[::-1] + self.options.get("more", ""),
                tokens_in=3,
            )


class Searcher(Tiny):
    """Gives passages alone."""

    key = "searcher"
    label = "Searcher"
    gives = frozenset({"passages"})


class Blind(Tiny):
    """Reads no passages."""

    key = "blind"
    label = "Blind"
    gives = frozenset({"long_answer"})


class Corrected(Tiny):
    """The same with other texts."""

    version = "1"

    def predict(self, asked):
        for question in asked:
            yield Prediction(question.id, long_answer="Corrected.")
