"""Passages that models learn to tell apart."""

from dataclasses import replace

from modeling.base import ArticlePassage, BaselineQuestion
from modeling.training.passage_examples import build_passage_example, locate_evidence
from modeling.training.recipes import RECIPES
from modeling.training.values import Labelled, LabelledPair
from tests.modeling.corpora import BRIDGE, TRAINS, TUNNEL, Corpus

ASKED = BaselineQuestion("q1", "When did the Thames Tunnel open?")
READER, ENCODER = RECIPES["reader"], RECIPES["encoder"]
PAIRS = (LabelledPair((), ("1843", "in 1843")), LabelledPair((), ("1869",)))


def label(pairs=PAIRS, **fields):
    return Labelled(1, ASKED.question, ASKED, annotations=(pairs,), **fields)


def test_without_evidence_words_tell_which_passage_has_the_answer():
    example = build_passage_example(ENCODER, label(), [BRIDGE, TUNNEL, TRAINS])
    assert example.positives == (TUNNEL, TRAINS)
    assert example.negatives == (BRIDGE,)
    assert not example.located
    assert example.answers == (("1843", "in 1843"), ("1869",))


def test_what_people_read_comes_before_words_and_alone_for_what_searches():
    read = ArticlePassage("7-9", "Thames Tunnel", "In 1843 walkers came. " * 5)
    for recipe, positives in ((ENCODER, (read,)), (READER, (read, TUNNEL))):
        example = build_passage_example(recipe, label(evidence=(read,)), [TUNNEL, BRIDGE])
        assert example.positives == positives
        assert example.located


def test_evidence_of_a_refused_answer_is_no_positive():
    other = replace(BRIDGE, text="Tower Bridge opened in 1894. " * 4)
    example = build_passage_example(ENCODER, label(evidence=(other,)), [TUNNEL, BRIDGE])
    assert example.positives == (TUNNEL,)
    assert not example.located


def test_proofs_of_refused_answers_are_the_first_negatives():
    refused = ArticlePassage("", "London Bridge", "London Bridge opened in 1831.")
    example = build_passage_example(ENCODER, label(refused=(refused,)), [TUNNEL, BRIDGE])
    assert example.negatives == (refused, BRIDGE)


def test_why_there_is_none():
    assert build_passage_example(ENCODER, label(), []) == "no_passages"
    assert build_passage_example(ENCODER, label(), [BRIDGE]) == "not_in_passages"
    assert build_passage_example(ENCODER, label(), [TUNNEL]) == "no_negative"
    quoted = label(evidence=(BRIDGE,))
    assert build_passage_example(ENCODER, quoted, [BRIDGE]) == "no_passage"
    assert build_passage_example(ENCODER, label(()), [BRIDGE]) == "no_answer"


def test_a_quote_becomes_the_passage_of_its_page_that_it_is_from():
    corpus = Corpus()
    quote = ArticlePassage("", "Thames_Tunnel", "was opened to walkers in 1843", path="Thames")
    elsewhere = ArticlePassage("", "London Bridge", "was opened to walkers in 1843", path="London")
    cell = ArticlePassage("", "Thames Tunnel", "Opened; 1843; Closed; 1995", path="Thames")
    located = locate_evidence(label(evidence=(quote, elsewhere, cell)), corpus.search)
    assert [passage.id for passage in located.evidence] == [TUNNEL.id]
    assert located.evidence[0].score == 0


def test_a_text_as_long_as_a_passage_stays_and_costs_no_search():
    corpus = Corpus()
    long = ArticlePassage("", "Thames Tunnel", "word " * 20)
    assert locate_evidence(label(evidence=(long,)), corpus.search).evidence == (long,)
    assert corpus.asked == []


def test_there_are_bounds():
    many = [ArticlePassage(str(n), "T", f"1843 and {n}") for n in range(30)]
    others = [ArticlePassage(f"o{n}", "T", f"no year {n}") for n in range(80)]
    example = build_passage_example(READER, label(), [*many, *others])
    assert (len(example.positives), len(example.negatives)) == (20, 50)
