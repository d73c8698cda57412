"""Which passages a baseline reads: how they are searched in its corpus, by its options.

Every baseline that reads passages takes these options, so any reader goes with any retriever.

retriever: "bm25", or "dense" for vectors. encoder: whose vectors, "minilm", "dpr" or the name of a
model. reranker: what puts the best `candidates` passages in order: "none", "vectors",
"cross-encoder", "jpr".
"""

from collections.abc import Mapping
from typing import Final

from modeling.base import BadOption, Corpus
from modeling.options import one_of, parse_whole_number, require_corpus

# Names of the options that `build_searcher` understands, for `check_names`.
RETRIEVAL_OPTIONS: Final = ("retriever", "encoder", "reranker", "candidates")
BM25, DENSE = "bm25", "dense"
NONE, VECTORS, CROSS_ENCODER, JPR = "none", "vectors", "cross-encoder", "jpr"
_CANDIDATES: Final = 100  # as in the papers (A88)
_MOST_CANDIDATES: Final = 1_000


def build_searcher(corpus: Corpus | None, options: Mapping[str, str], label: str) -> Corpus:
    """Return the corpus as the options say it is searched. Loads no weights and no vectors.

    Its version changes with the passages and with what searches them. Raises BadOption, and
    MissingModel where it cannot be searched like that here. label: of the baseline.
    """
    own = require_corpus(corpus, label)
    retriever = _retriever(own, options)
    reranker = one_of(options, "reranker", (NONE, VECTORS, CROSS_ENCODER, JPR))
    candidates = parse_whole_number(options, "candidates", _CANDIDATES, most=_MOST_CANDIDATES)
    if reranker == NONE:
        _refuse(options, "candidates", "a reranker")
        return retriever
    from modeling import reranking  # not on the base installation

    if reranker == VECTORS:
        order: reranking.Order = reranking.NearVectors(_encoder(options))
    else:
        order = reranking.CrossEncoder() if reranker == CROSS_ENCODER else reranking.Jpr()
    return reranking.RerankedCorpus(retriever, order, candidates)


def loads_weights(options: Mapping[str, str]) -> bool:
    """Return whether searching by these options takes a model."""
    retriever, reranker = options.get("retriever", ""), options.get("reranker", "")
    return retriever == DENSE or reranker in (VECTORS, CROSS_ENCODER, JPR)


def _retriever(corpus: Corpus, options: Mapping[str, str]) -> Corpus:
    if one_of(options, "retriever", (BM25, DENSE)) == BM25:
        if options.get("reranker") != VECTORS:
            _refuse(options, "encoder", "retriever=dense or reranker=vectors")
        return corpus
    from modeling.dense import DenseCorpus

    return DenseCorpus(corpus.name, corpus.version, _encoder(options))


def _encoder(options: Mapping[str, str]) -> str:
    return options.get("encoder", "").strip() or "minilm"


def _refuse(options: Mapping[str, str], name: str, other: str) -> None:
    """Raise BadOption where an option has no effect: it was meant to have one."""
    if options.get(name, "").strip():
        raise BadOption(f"The option “{name}” needs {other}.")
