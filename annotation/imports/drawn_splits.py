"""Splits drawn by chance for the questions of a file, always the same for the same words (N25)."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import normalize

from annotation.imports.records import SPLITS

MOST_SEED = 2**31 - 1
MOST_SHARE = 10_000_000
DEFAULT_SHARES: Mapping[str, int] = {"train": 80, "dev": 10, "test": 10}
_BLANK = " \t\n\r\f\v"


def plain_text(text: str) -> str:
    """Return a question as it is compared: in Unicode's form NFC, without blanks around it."""
    return normalize("NFC", text.strip(_BLANK))


@dataclass(frozen=True)
class SplitDraw:
    """Shares of the splits, in whole numbers of any sum, and the seed of the draw.

    A question's split depends on its words and the seed alone, so that equal questions come
    together whatever file they are in. Every question is drawn on its own: the shares hold on
    average.
    """

    shares: Mapping[str, int]
    seed: int = 0

    def __post_init__(self) -> None:
        for split, share in self.shares.items():
            if split not in SPLITS:
                raise ValueError(f"“{split}” is not a split. It should be train, dev or test.")
            if not 0 <= share <= MOST_SHARE:
                raise ValueError(f"The share of {split} should be from 0 to {MOST_SHARE:,}.")
        if not any(self.shares.values()):
            raise ValueError("Give at least one split a share that is not 0.")
        if not 0 <= self.seed <= MOST_SEED:
            raise ValueError(f"The seed should be a whole number from 0 to {MOST_SEED:,}.")

    def draw_split(self, text: str) -> str:
        """Return the split of a question."""
        drawn = hashlib.sha256(f"{self.seed}\n{plain_text(text)}".encode()).digest()[:8]
        total = sum(self.shares.values())
        left = int.from_bytes(drawn) * total >> 64
        for split in SPLITS:
            left -= self.shares.get(split, 0)
            if left < 0:
                return split
        raise AssertionError("a number below the sum of the shares is within one of them")


def parse_shares(text: str) -> dict[str, int]:
    """Return the shares in text such as “train=80 dev=10 test=10”, also with commas.

    Raises ValueError with the sentence to show.
    """
    shares: dict[str, int] = {}
    for part in text.replace(",", " ").split():
        split, equals, share = part.partition("=")
        if not equals or not (share.isascii() and share.isdigit()) or len(share) > 8:
            raise ValueError(f"“{part}” should be SPLIT=NUMBER, such as train=80.")
        if split in shares:
            raise ValueError(f"“{split}” has two shares. Give it one.")
        shares[split] = int(share)
    return shares
