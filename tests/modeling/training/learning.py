"""Eight questions that tiny models learn by heart, and examples of them for every role."""

from dataclasses import replace

from metrics.nq import NqAnnotation
from modeling import inputs
from modeling.base import AnsweredDisambiguation, ArticlePassage, BaselineQuestion, ShortAnswer
from modeling.page_texts import read_page_text
from modeling.training.examples import (
    AMBIGUITY_LABELS,
    PageExample,
    PassageExample,
    TextExample,
)
from modeling.training.recipe_kinds import ADAMW, READ_BOXES
from modeling.training.recipes import RECIPES
from tests.modeling.training import pages

# The question, its two answers in the passage, and the title of the passage.
FACTS = [
    ("Who built the tunnel?", "Brunel", "Isambard", "Tunnel"),
    ("When did the bridge open?", "1894", "January", "Bridge"),
    ("How long is the river?", "16", "many", "River"),
    ("How deep is the ferry?", "13", "14", "Ferry"),
    ("Who were engineers?", "Barry", "Jones", "Engineers"),
    ("When did the ship sink?", "1928", "15", "Ship"),
    ("When did trains first ran?", "1869", "10", "Trains"),
    ("When did walkers crossed it?", "1843", "11", "Walkers"),
]
PASSAGES = [
    ArticlePassage(f"p{number}", title, f"It was {first} and {second}.")
    for number, (_, first, second, title) in enumerate(FACTS)
]


class Corpus:
    """Finds the passage of a question first, then those of the next ones."""

    name, version = "by heart", "1"

    def search(self, query, top):
        number = next(n for n, fact in enumerate(FACTS) if query.startswith(fact[0][:-1]))
        return (PASSAGES[number:] + PASSAGES[:number])[:top]


CORPUS = Corpus()
AMBIGUOUS = range(0, 8, 2)  # the questions whose two answers are to two questions
BASES = {
    **dict.fromkeys(("span-seq-gen", "qd", "disambig-first"), "plain-bart"),
    **dict.fromkeys(("t5-closed", "t5-open", "oracle", "fid", "pig", "jpr"), "plain-t5"),
    **dict.fromkeys(("ambiguity", "encoder", "reranker", "reader", "nq-reader"), "plain-bert"),
    **dict.fromkeys(("decatt", "doc-reader", "document-qa"), "plain-bert"),
}


def recipe_of(role, **changes):
    """Return the recipe of a role with numbers for tiny models."""
    own = RECIPES[role]
    rate = 1e-2 if BASES[role] == "plain-t5" else 3e-3
    small = {"learning_rate": rate, "batch": 8, "epochs": 10_000, "warm_up": 0.0, "patience": 0}
    small |= {"tokens_in": min(own.tokens_in, 120), "tokens_out": min(own.tokens_out, 60)}
    if own.null_windows:
        small["null_windows"] = 1.0
    if own.negatives:
        small["negatives"] = 7 if own.negatives > 1 else 1
    if own.learns == READ_BOXES:  # few numbers learn quickest by one optimiser
        small |= {"optimiser": ADAMW, "learning_rate": 1e-2, "dropout": 0.0, "negatives": 1}
        small |= {"hidden_size": 32 if own.role == "decatt" else 16, "layers": min(own.layers, 1)}
    return replace(own, **small | changes)


def pairs_of(number):
    question, first, second, _ = FACTS[number]
    return (
        AnsweredDisambiguation(f"{question[:-1]} first?", (ShortAnswer(first),)),
        AnsweredDisambiguation(f"{question[:-1]} there?", (ShortAnswer(second),)),
    )


def asked(number):
    """Return a question as baselines are asked it; the oracle's has its pairs."""
    return BaselineQuestion(f"q{number}", FACTS[number][0], disambiguations=pairs_of(number))


def examples_of(role):
    """Return the examples of a role for all questions, with the inputs that baselines read."""
    made = globals().get("_" + role.replace("-", "_"), None)
    if made is None:
        return [_passages(number) for number in range(len(FACTS))]
    return [example for number in range(len(FACTS)) for example in made(number)]


def found(number, top):
    return CORPUS.search(FACTS[number][0], top)


def _text(number, read, written, passages=()):
    question, first, second, _ = FACTS[number]
    read = (read,) if isinstance(read, str) else tuple(read)
    written = (written,) if isinstance(written, str) else tuple(written)
    answers = ((first,), (second,))
    return [TextExample(f"q{number}", question, read, written, answers, tuple(passages))]


def _span_seq_gen(number):
    question, first, second, _ = FACTS[number]
    passages = found(number, 1)
    written = inputs.span_seq_gen_output([first, second])
    return _text(number, inputs.span_seq_gen(question, passages), written, passages)


def _qd(number):
    if number not in AMBIGUOUS:
        return []
    question, first, second, _ = FACTS[number]
    passages = found(number, 1)
    answers = (first, second)
    return [
        example
        for pair, answer, other in zip(pairs_of(number), answers, reversed(answers), strict=True)
        for example in _text(
            number,
            inputs.question_disambiguation(question, answer, [other], passages),
            pair.question,
        )
    ]


def _disambig_first(number):
    if number not in AMBIGUOUS:
        return []
    written = inputs.disambig_first_output([pair.question for pair in pairs_of(number)])
    return _text(number, inputs.disambig_first(FACTS[number][0]), written)


def _ambiguity(number):
    label = AMBIGUITY_LABELS[number in AMBIGUOUS]
    return _text(number, inputs.disambig_first(FACTS[number][0]), label)


def long_answer(number):
    _, first, second, title = FACTS[number]
    return f"The {title} was {first} and then {second}."


def _t5_closed(number):
    return _text(number, inputs.t5_closed(FACTS[number][0]), long_answer(number))


def _t5_open(number):
    read = inputs.t5_open(FACTS[number][0], found(number, 1))
    return _text(number, read, long_answer(number))


def _oracle(number):
    read = inputs.oracle_input(FACTS[number][0], pairs_of(number))
    return _text(number, read, long_answer(number))


def _fid(number):
    question, first, second, _ = FACTS[number]
    passages = found(number, 2)
    return _text(number, inputs.fid_inputs(question, passages), inputs.fid_output([first, second]))


def _pig(number):
    """Each passage is an example: the question's own has an answer, the next one has none."""
    question, first, _, _ = FACTS[number]
    passages = found(number, 2)
    own = [first if passage.id == f"p{number}" else None for passage in passages]
    return [
        example
        for read, answer in zip(inputs.pig_inputs(question, passages), own, strict=True)
        for example in _text(number, read, inputs.pig_output(answer))
    ]


def jpr_passages(number):
    """Return a passage of each answer and one without any, in an order of the question's own."""
    _, first, second, title = FACTS[number]
    each = [
        ArticlePassage(f"{number}-{n}", title, f"It was {own}.")
        for n, own in enumerate((first, second))
    ]
    other = PASSAGES[(number + 3) % len(PASSAGES)]
    shift = number % 3
    together = [*each, other]
    return together[shift:] + together[:shift]


def _jpr(number):
    passages = jpr_passages(number)
    read = inputs.jpr_inputs(FACTS[number][0], passages)
    places = [place for place, each in enumerate(passages, 1) if each.id.startswith(f"{number}-")]
    return _text(number, read, inputs.jpr_output(places), passages)


def _nq_reader(number):
    return [pages.example_of(number, FACTS[number][0])]


# The question, its page, the number of the box that answers, and the words in it, if any.
WORD_PAGES = [
    (FACTS[0][0], "<p>It was built by many.</p><p>Brunel built the tunnel.</p>", 1, "Brunel"),
    (FACTS[1][0], "<p>The bridge opened in 1894.</p><p>A ferry crossed it.</p>", 0, "1894"),
    (FACTS[2][0], "<p>A ship sank.</p><p>The river is 16 long.</p><p>Who?</p>", 1, "16"),
    (FACTS[3][0], "<p>The river is wide.</p><ul><li>deep</li><li>13</li></ul>", 1, "13"),
    (FACTS[4][0], "<p>Engineers were Marc and Barry Jones.</p>", 0, "Barry Jones"),
    (FACTS[5][0], "<p>A bridge opened.</p><p>The ship sank in 1928.</p>", 1, "1928"),
    (FACTS[6][0], "<p>First trains: 1869.</p><p>It was deep.</p>", 0, "1869"),
    (FACTS[7][0], "<p>It was deep.</p><p>Walkers and ferry.</p>", 0, ""),
]
WHOLE = 7  # answered by a whole box, or by nothing


def _word_page(number, answered):
    question, html, box, words = WORD_PAGES[number]
    page = pages.parse_page(html)
    found = NqAnnotation(None, ())
    if answered:
        span = [one for one in page.candidates if one.top_level][box].span
        found = NqAnnotation(span, (page.find_words(words, span),) if words else ())
    return [PageExample(f"q{number}", question, read_page_text(page), (found,) * 5)]


def _decatt(number):
    return _word_page(number, number != WHOLE)


_doc_reader = _decatt


def _document_qa(number):
    return _word_page(number, True)


def _passages(number):
    question, first, _, _ = FACTS[number]
    own, *others = found(number, 8)
    return PassageExample(f"q{number}", question, ((first,),), (own,), tuple(others), located=True)
