"""Engines by what they do. One is loaded when it is first asked for, and kept for this process."""

from functools import lru_cache
from importlib import import_module
from typing import Any, cast

from modeling.engines.base import (
    Answerer,
    BoxScorer,
    Classifier,
    Continuer,
    Encoder,
    Entailer,
    ExtractiveReader,
    FusionGenerator,
    Generator,
    PageReader,
    Scorer,
    ShortReader,
    StretchReader,
    Talker,
)
from modeling.weights import ANSWERING, ENTAILING, FUSED, PAGE_KINDS, TALKING, Weights

_CONTINUING = "continuing"


def load_generator(weights: Weights) -> Generator:
    """Return the encoder-decoder with these weights."""
    return cast(Generator, _loaded("generator", weights))


def load_continuer(weights: Weights) -> Continuer:
    """Return the encoder-decoder that adds answers to a known one; there is no fast one."""
    return cast(Continuer, _loaded(_CONTINUING, weights))


def load_fused_generator(weights: Weights) -> FusionGenerator:
    """Return the encoder-decoder that reads several inputs at once."""
    return cast(FusionGenerator, _loaded(FUSED, weights))


def load_encoder(weights: Weights) -> Encoder:
    """Return the encoder of texts into vectors; its role tells DPR's two encoders apart."""
    return cast(Encoder, _loaded("encoder", weights))


def load_scorer(weights: Weights) -> Scorer:
    """Return the cross-encoder with these weights."""
    return cast(Scorer, _loaded("scorer", weights))


def load_reader(weights: Weights) -> ExtractiveReader:
    """Return the extractive reader with these weights."""
    return cast(ExtractiveReader, _loaded("reader", weights))


def load_answerer(weights: Weights) -> Answerer:
    """Return the reader that may find no answer."""
    return cast(Answerer, _loaded("answerer", weights))


def load_entailer(weights: Weights) -> Entailer:
    """Return the model of entailment with these weights."""
    return cast(Entailer, _loaded(ENTAILING, weights))


def load_page_reader(weights: Weights) -> PageReader:
    """Return the reader of whole pages with these weights."""
    return cast(PageReader, _loaded("page_reader", weights))


def load_classifier(weights: Weights) -> Classifier:
    """Return the classifier with these weights."""
    return cast(Classifier, _loaded("classifier", weights))


def load_language_model(weights: Weights) -> Talker:
    """Return the language model with these weights."""
    return cast(Talker, _loaded("talker", weights))


def load_box_scorer(weights: Weights) -> BoxScorer:
    """Return the model that scores boxes of a page."""
    return cast(BoxScorer, _loaded("boxscorer", weights))


def load_short_reader(weights: Weights) -> ShortReader:
    """Return the model that finds a short answer in a long one."""
    return cast(ShortReader, _loaded("shortreader", weights))


def load_stretch_reader(weights: Weights) -> StretchReader:
    """Return the model that finds an answer in boxes of a page."""
    return cast(StretchReader, _loaded("stretchreader", weights))


def unload_engines() -> None:
    """Free the memory of all engines of this process."""
    _loaded.cache_clear()


@lru_cache(maxsize=6)
def _loaded(kind: str, weights: Weights) -> Any:
    return getattr(import_module(_module(kind, weights)), kind)(weights)


def _module(kind: str, weights: Weights) -> str:
    """Return the module that has the engine: torch is loaded with it, not before."""
    if kind == TALKING:
        return "modeling.engines.talking"
    if kind == _CONTINUING:
        return "modeling.engines.continuing"
    if kind == ENTAILING and not weights.fast:
        return "modeling.engines.entailing"
    if kind == FUSED and weights.fast:
        return "modeling.engines.fusing"
    if kind == ANSWERING:
        return "modeling.engines.squad"
    if kind in PAGE_KINDS:
        return "modeling.engines.page_reading"
    return f"modeling.engines.{'fast' if weights.fast else 'reference'}"
