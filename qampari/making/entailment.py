"""Whether a sentence shows an answer, by a model of natural language inference (Q12)."""

from collections.abc import Sequence

from modeling import engines, weights
from qampari.making.evidence import EvidenceWindow
from qampari.making.queries import Triple

ROLE = "entailment"


class EntailmentJudge:
    """The sentence with the two before it entails the statement, as in QAMPARI's section 2.1.

    name: of the weights, the role's usual ones where it is empty. Where they were converted, the
    fast engine reads them, under a version of its own, so that no verdict of one is taken for one
    of the other. Raises MissingModel where they are not here, or are of another kind of model.
    """

    key = ROLE

    def __init__(self, name: str = "") -> None:
        own = weights.get_weights(ROLE, name)
        self.version = own.version
        self._engine = engines.load_entailer(own)

    def score_windows(
        self, triple: Triple, statement: str, windows: Sequence[EvidenceWindow]
    ) -> list[float]:
        return self._engine.score_entailments([(window.text, statement) for window in windows])
