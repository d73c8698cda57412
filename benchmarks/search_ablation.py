"""What each part of the ranking is worth: the table of docs/search.md.

    python -m benchmarks.search_ablation [--passages 100000] [--questions FILE.jsonl.gz]

Prints Markdown. Every row ranks the same passages for the same questions as benchmarks/search.py,
which says how they are made and split; MRR is given for the half that weights were chosen on and
for the half that was held out.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import tantivy
from tantivy import Occur, Query

from benchmarks import mixtures
from benchmarks.mixtures import Passage, Question
from benchmarks.search import DEFAULT, DEPTH, Mixtures, scores
from wikipedia.search import analysis
from wikipedia.search.index import ARTICLES, PASSAGES, build_index
from wikipedia.search.open_indexes import open_index, text_of
from wikipedia.search.searching import ARTICLE_WEIGHTS, PASSAGE_WEIGHTS, search_articles
from wikipedia.text.words import word_set

ENGLISH = analysis.language_named("eng")
LUCENE = word_set(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with"
)
OURS = PASSAGE_WEIGHTS
# A pair of question words counts when it is within this many words, in order or in any.
PAIRS = {"in order, next to each other": (1, True), "in order, within 3": (3, True),
         "in any order, within 8": (8, False)}  # fmt: skip
Weights = tuple[tuple[str, float], ...]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--questions", type=Path, default=DEFAULT)
    options = parser.parse_args()
    if not options.questions.is_file():
        parser.error(f"there is no file {options.questions}; name it with --questions")
    questions, gold = mixtures.load(options.questions)
    tables = []
    for count in (len(gold), options.passages):
        folder = Path(tempfile.mkdtemp())
        try:
            tables.append(passages(folder, questions, gold, count))
            tables[-1] |= articles(folder, questions, gold, count)
        finally:
            shutil.rmtree(folder)
    print("| ranking | alone @1 / @5 / @20 | MRR chosen on, held out "
          f"| among {options.passages:,} @1 / @5 / @20 | MRR chosen on, held out |")  # fmt: skip
    print("| --- | --- | --- | --- | --- |")
    for name in tables[0]:
        cells = []
        for table in tables:
            found = table[name]
            cells.append(" / ".join(f"{found['all'][k]:.1f}" for k in ("@1", "@5", "@20")))
            cells.append(f"{found['chosen_on']['mrr']:.1f}, {found['held_out']['mrr']:.1f}")
        print(f"| {name} | {' | '.join(cells)} |")


@dataclass(frozen=True)
class Trial:
    """An index that has all the fields being compared."""

    schema: tantivy.Schema
    searcher: tantivy.Searcher

    def search(
        self, terms: list[str], weights: Weights, pairs: tuple[int, bool] | None = None
    ) -> list[str]:
        clauses = [
            (Occur.Should, Query.boost_query(self._term(field, term), weight))
            for term in terms
            for field, weight in weights
        ]
        hits = self.searcher.search(Query.boolean_query(clauses), DEPTH, count=False).hits
        found = [(float(score), self.searcher.doc(address)) for score, address in hits]
        if pairs:
            text = {id(d): ENGLISH.text.analyze(text_of(d, "kept")) for _, d in found}
            found.sort(key=lambda each: -each[0] - _together(terms, text[id(each[1])], *pairs))
        return [text_of(document, "id") for _, document in found]

    def _term(self, field: str, term: str) -> Query:
        return Query.term_query(self.schema, field, term, "freq")


def passages(
    folder: Path, questions: list[Question], gold: list[Passage], count: int
) -> dict[str, dict[str, dict[str, float]]]:
    trial = _trial(folder / "trial", gold, count)
    wanted = [question.passage for question in questions]
    one: Weights = (("words", 1.0),)
    rows: dict[str, Callable[[str], list[str]]] = {
        "text": lambda q: trial.search(_terms(q), (("text", 1.0),)),
        "text + title": lambda q: trial.search(_terms(q), (("text", 1.0), ("title", 1.0))),
        "text + 0.75 title (before)": lambda q: trial.search(
            _terms(q), (("text", 1.0), ("title", 0.75))
        ),
        "title and text as one field": lambda q: trial.search(_terms(q), one),
        "the same, title twice": lambda q: trial.search(_terms(q), (("words2", 1.0),)),
        "the same, title three times": lambda q: trial.search(_terms(q), (("words3", 1.0),)),
    }
    for text, title in ((0.0, 0.3), (0.0, 0.5), (0.3, 0.3), (0.3, 0.5), (0.3, 0.7), (1.0, 1.0)):
        weights: Weights = (*one, *((("text", text),) if text else ()), ("title", title))
        name = "one field" + (f" + {text} text" if text else "") + f" + {title} title"
        name += " (ours)" if dict(weights) == dict(OURS) else ""
        rows[name] = lambda q, w=weights: trial.search(_terms(q), w)  # type: ignore[misc]
    rows["ours, every word of the question"] = lambda q: trial.search(_terms(q, set()), OURS)
    rows["ours, 33 stop words (Lucene's)"] = lambda q: trial.search(_terms(q, LUCENE), OURS)
    rows["ours without stems"] = lambda q: trial.search(
        _unstemmed(q), tuple((f"whole_{field}", weight) for field, weight in OURS)
    )
    for name, pairs in PAIRS.items():
        rows[f"ours + pairs {name}"] = lambda q, p=pairs: trial.search(_terms(q), OURS, p)  # type: ignore[misc]
    return {
        name: scores(questions, [search(question.text) for question in questions], wanted)
        for name, search in rows.items()
    }


def articles(
    folder: Path, questions: list[Question], gold: list[Passage], count: int
) -> dict[str, dict[str, dict[str, float]]]:
    """Rank articles alone, by their best passage, and by both as Ambit does."""
    build_index(folder / "ours", Mixtures(gold, count), batch=5_000)
    whole, parts = (open_index(folder / "ours", name) for name in (ARTICLES, PASSAGES))
    wanted = [question.title for question in questions]

    def titles(index: object, weights: Weights, question: str, read: int) -> list[str]:
        side = whole if index == ARTICLES else parts
        query = side.any_of(analysis.query_terms(question, ENGLISH), weights)
        hits = side.searcher.search(query, read, count=False).hits
        found = (text_of(side.searcher.doc(address), "shown") for _, address in hits)
        return list(dict.fromkeys(found))[:DEPTH]

    rows: dict[str, Callable[[str], list[str]]] = {
        "articles: one field + 3 title": lambda q: titles(
            ARTICLES, (("words", 1.0), ("title", 3.0)), q, DEPTH
        ),
        "articles: one field + 0.5 title": lambda q: titles(ARTICLES, ARTICLE_WEIGHTS, q, DEPTH),
        "articles: their best passage": lambda q: titles(PASSAGES, PASSAGE_WEIGHTS, q, 4 * DEPTH),
        "articles: both together (ours)": lambda q: [
            hit.title for hit in search_articles(folder / "ours", q, DEPTH).hits
        ],
    }
    return {
        name: scores(questions, [search(question.text) for question in questions], wanted)
        for name, search in rows.items()
    }


def _trial(folder: Path, gold: list[Passage], count: int) -> Trial:
    folder.mkdir(parents=True)
    builder = tantivy.SchemaBuilder()
    for field in ("id", "kept"):
        builder = builder.add_bytes_field(field, stored=True)
    for field in ("title", "text", "words", "words2", "words3"):
        builder = builder.add_text_field(field, tokenizer_name="stems", index_option="freq")
    for field in ("whole_words", "whole_text", "whole_title"):
        builder = builder.add_text_field(field, tokenizer_name="default", index_option="freq")
    schema = builder.build()
    index = tantivy.Index(schema, path=str(folder))
    index.register_tokenizer("stems", analysis.build_analyser("eng"))
    writer = index.writer(128_000_000, 1)
    for article in mixtures.articles(gold, count):
        for passage in article:
            title, text = passage.title, passage.text
            document = tantivy.Document(title=title, text=text, whole_title=title, whole_text=text)
            document.add_bytes("id", passage.id.encode())
            document.add_bytes("kept", f"{title} {text}".encode())
            for field, times in (("words", 1), ("words2", 2), ("words3", 3), ("whole_words", 1)):
                for value in [title] * times + [text]:
                    document.add_text(field, value)
            writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return Trial(schema, index.searcher())


def _terms(question: str, stop: frozenset[str] | set[str] = analysis.STOP_WORDS) -> list[str]:
    found = ENGLISH.word.findall(question.lower())
    kept = [word for word in found if word not in stop] or found
    return list(dict.fromkeys(ENGLISH.text.analyze(" ".join(kept))))


def _unstemmed(question: str) -> list[str]:
    found = ENGLISH.word.findall(question.lower())
    return list(dict.fromkeys([w for w in found if w not in analysis.STOP_WORDS] or found))


def _together(terms: list[str], text: list[str], within: int, ordered: bool) -> float:
    """Return half a point for each pair of neighbours in the question close to each other."""
    places: dict[str, list[int]] = {}
    for place, term in enumerate(text):
        places.setdefault(term, []).append(place)
    near = 0
    for one, other in pairwise(terms):
        gaps = (b - a for a in places.get(one, ()) for b in places.get(other, ()))
        near += any(0 < (gap if ordered else abs(gap)) <= within for gap in gaps)
    return 0.5 * near


if __name__ == "__main__":
    main()
