"""How baselines search a corpus: the options they share."""

import pytest

from modeling import retrieval
from modeling.base import BadOption, MissingModel
from modeling.retrieval import searcher
from tests.modeling.corpora import TRAINS, Corpus


def test_without_options_the_corpus_searches():
    corpus = Corpus()
    assert searcher(corpus, {}, "Reader").search("trains", 5) == corpus.search("trains", 5)
    assert searcher(corpus, {"retriever": "bm25"}, "Reader").version == corpus.version
    assert searcher(corpus, {}, "Reader").search("trains", 1)[0].id == TRAINS.id


def test_every_option_is_named_for_the_check_of_names():
    assert "retriever" in retrieval.RETRIEVAL_OPTIONS


def test_a_retriever_that_does_not_exist_is_named():
    with pytest.raises(BadOption, match=r"“retriever” is “bm52”. Set it to bm25"):
        searcher(Corpus(), {"retriever": "bm52"}, "Reader")


def test_without_a_corpus_the_baseline_is_named():
    with pytest.raises(MissingModel, match="Reader searches passages"):
        searcher(None, {}, "Reader")
