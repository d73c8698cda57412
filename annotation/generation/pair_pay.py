"""What the pairs of an answer can bring, as it is told while they are written (A14, A60)."""

from dataclasses import dataclass
from decimal import Decimal

from annotation.generation.responses import GenerationResponse


@dataclass(frozen=True)
class PairPay:
    """What comes after validation: for the work as a whole, and for each of its first pairs."""

    accepted: Decimal
    pair: Decimal
    most: int
    currency: str

    @property
    def cents(self) -> tuple[int, int]:
        """The amounts for the work and for a pair in hundredths, for the script of the page."""
        return int(self.accepted * 100), int(self.pair * 100)

    @property
    def open_line(self) -> str:
        """The sentence as long as nothing is written."""
        each = f"{self.pair} {self.currency} after validation for each pair"
        return f"You get {each}, for at most {self.most}."

    def write_line(self, pairs: int) -> str:
        """Return the sentence on this many pairs."""
        if not pairs:
            return self.open_line
        amount = self.accepted + self.pair * min(pairs, self.most)
        return f"You get up to {amount:.2f} {self.currency} after validation."


def count_written_pairs(response: GenerationResponse) -> int:
    """Return the number of pairs with an answer; a single answer is one."""
    if response.kind == "multiple":
        return sum(bool(pair.answers) for pair in response.pairs)
    return int(response.kind == "single" and bool(response.single))
