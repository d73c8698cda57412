"""Which passages a baseline reads: how they are searched in its corpus, by its options."""

from collections.abc import Mapping
from typing import Final

from modeling.base import Corpus
from modeling.options import needed, one_of

# Names of the options that `searcher` understands, for `check_names`.
RETRIEVAL_OPTIONS: Final = ("retriever",)
BM25: Final = "bm25"


def searcher(corpus: Corpus | None, options: Mapping[str, str], label: str) -> Corpus:
    """Return the corpus as the options say it is searched. Loads nothing.

    Its version changes with the passages and with what searches them. Raises BadOption, and
    MissingModel where it cannot be searched like that here. label: of the baseline.
    """
    own = needed(corpus, label)
    one_of(options, "retriever", (BM25,))
    return own
