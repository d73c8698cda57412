"""What a recipe is: what is learnt, from which files, and by which numbers. Pure."""

from dataclasses import dataclass
from typing import Final

# What is learnt: to write a text; to write one from several texts that are read together; which of
# two classes a question is of; where in passages answers are; vectors of questions and passages;
# how well a passage fits a question; where on a question's own page its answers are, by a model of
# texts, or by a network over words that reads its boxes.
WRITE, FUSE, CLASSIFY, FIND_SPANS, EMBED, RANK, READ_PAGE, READ_BOXES = (
    "write",
    "fuse",
    "classify",
    "find spans",
    "embed",
    "rank",
    "read a page",
    "read boxes",
)
# What is learnt from questions with their own pages.
ON_PAGES: Final = frozenset({READ_PAGE, READ_BOXES})
ADAMW, ADAGRAD, ADADELTA = "adamw", "adagrad", "adadelta"
# Files of examples that other programs read; the first that a recipe has is its own.
SEQ2SEQ, FID, CHAT, DPR = "seq2seq", "fid", "chat", "dpr"
TRIPLETS, PAGES = "triplets", "pages"
_LAYOUTS: Final = {
    WRITE: (SEQ2SEQ, CHAT),
    FUSE: (FID, SEQ2SEQ, CHAT),
    CLASSIFY: (SEQ2SEQ, CHAT),
    FIND_SPANS: (DPR,),
    EMBED: (DPR, TRIPLETS),
    RANK: (TRIPLETS, DPR),
    READ_PAGE: (PAGES,),
    READ_BOXES: (PAGES,),
}
LAYOUTS: Final = (SEQ2SEQ, FID, DPR, TRIPLETS, PAGES, CHAT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How weights for one role are trained.

    learns: WRITE and so on. tokens_in, tokens_out: what the baseline reads of each input, and may
    write. learning_rate decays linearly after warm_up, a share of the steps, or a number of them
    from 1 on. batch: examples before each step. epochs: how often all examples are read; patience:
    how many looks at dev without gain end it sooner, 0 for none. metric: by which a checkpoint is
    chosen. negatives: passages without an answer beside each with one; null_windows: the share of
    the parts of pages without an answer that are read, 0 to 1. adapters: the rank of those that are
    learnt in place of the model, 0 for none. without: what question disambiguation does not read,
    "" for nothing (A96). optimiser: what takes steps, ADAMW and so on. Of networks that are drawn
    anew: hidden_size, layers, and dropout, 0 to 1; null_weight: how much a question without an
    answer counts, 0 to 1. sources: by field, P, C, O.
    """

    role: str
    learns: str
    tokens_in: int
    tokens_out: int = 0
    learning_rate: float
    batch: int
    epochs: int
    patience: int = 5
    warm_up: float = 0.0
    metric: str
    negatives: int = 0
    null_windows: float = 0.0
    adapters: int = 0
    without: str = ""
    optimiser: str = ADAMW
    hidden_size: int = 0
    layers: int = 0
    dropout: float = 0.0
    null_weight: float = 1.0
    sources: str = ""

    def count_steps(self, examples: int) -> int:
        """Return how many steps all epochs take over this many examples, or windows of pages."""
        return self.epochs * -(-examples // min(self.batch, examples))

    @property
    def layouts(self) -> tuple[str, ...]:
        """The files of examples that fit what is learnt, its own one first."""
        return _LAYOUTS[self.learns]
