"""Sentences that may show that an answer is one. Pure, over articles that are read for it.

Source: QAMPARI, section 2.1 (Q11): a sentence on the page of one entity that names the other, with
the two sentences before it. Whole words alone count, in running text alone: an infobox says what
the graph says, and proves nothing. Sentences whose words link to the other entity come first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

from qampari.making.queries import Triple
from wikipedia.articles.article import Article
from wikipedia.articles.sentences import Sentence, find_links, list_sentences
from wikipedia.text.folding import (
    FoldedText,
    find_whole_words,
    fold_text,
    fold_words,
    lower_keeping_length,
)
from wikipedia.wikidata.graph import NamedEntity

SENTENCES_BEFORE: Final = 2
# An alias with fewer characters stands for too many things; a label is taken as it is.
SHORTEST_ALIAS: Final = 4
_MOST_OF_PAGE: Final = 5


@dataclass(frozen=True)
class ReadPage:
    """A page as it is read: its article, path after redirects, revision and address, if known."""

    article: Article
    path: str
    revision: int | None
    url: str

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of its running text."""
        return tuple(list_sentences(self.article))

    @cached_property
    def links(self) -> dict[str, frozenset[str]]:
        """The words that lead to each other page, by its path."""
        return find_links(self.article)

    @cached_property
    def folded(self) -> tuple[FoldedText, str]:
        """Its text as words are looked for in it, and the same in lower case."""
        folded = fold_text(self.article.text)
        return folded, lower_keeping_length(folded.text)


class ReadsPages(Protocol):
    """Where pages come from. `snapshot` is the name of theirs."""

    snapshot: str

    def find_page(self, title: str) -> ReadPage | None:
        """Return the page with this title, None where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class EvidenceWindow:
    """A sentence with the sentences before it, in code points of the text of its page.

    found: the name that stands in it; linked: whether its words lead to the entity somewhere on
    the page; of_item: whether it is on the page of the answer, rather than of what is asked about.
    """

    title: str
    path: str
    revision: int | None
    url: str
    start: int
    end: int
    sentence: int
    text: str
    found: str
    linked: bool
    of_item: bool

    @property
    def last_sentence(self) -> str:
        """The sentence that names the other entity."""
        return self.text[self.sentence - self.start :]


def find_windows(
    pages: ReadsPages, triple: Triple, entities: dict[int, NamedEntity]
) -> Iterator[EvidenceWindow]:
    """Give the windows that may show a triple: of the answer's page first, up to 5 of each page."""
    item, value = (entities.get(number) for number in (triple.item, triple.value))
    for own, other, of_item in ((item, value, True), (value, item, False)):
        if own is None or other is None or not own.title:
            continue
        page = pages.find_page(own.title)
        if page is not None:
            yield from _find_on_page(page, other, of_item)


def list_names(entity: NamedEntity) -> list[str]:
    """Return the names by which a sentence may mean an entity, the label and the title first."""
    names = [entity.label or "", (entity.title or "").partition(" (")[0]]
    names += [alias for alias in entity.aliases if len(alias) >= SHORTEST_ALIAS]
    return list(dict.fromkeys(filter(None, names)))


def _find_on_page(page: ReadPage, other: NamedEntity, of_item: bool) -> list[EvidenceWindow]:
    folded, small = page.folded
    path = "_".join((other.title or "").split())
    linking = {
        _small(words)
        for target, own in page.links.items()
        for words in own
        if path and target == path
    }
    names = {_small(name): name for name in reversed(list_names(other))}
    longer = _list_longer(page, path, [*names, *linking])
    found: list[EvidenceWindow] = []
    for place, sentence in enumerate(page.sentences):
        words = small[folded.folded_position(sentence.start) : folded.folded_position(sentence.end)]
        for name in longer:
            words = words.replace(name, "\0")
        own = [name for key, name in names.items() if find_whole_words(words, key) is not None]
        linked = any(find_whole_words(words, key) is not None for key in linking)
        if own or linked:
            name = max(own, key=len) if own else (other.label or "")
            found.append(make_window(page, place, name, linked=linked, of_item=of_item))
    return sorted(found, key=lambda window: not window.linked)[:_MOST_OF_PAGE]


def _list_longer(page: ReadPage, path: str, names: Sequence[str]) -> list[str]:
    """Return names that link to other pages and have one of these in them, the longest first.

    The Thames Tunnel is not the Thames.
    """
    others = {
        _small(words) for target, own in page.links.items() for words in own if target != path
    }
    having = (
        each
        for each in others.difference(names)
        if any(find_whole_words(each, name) is not None for name in _without_articles(names))
    )
    return sorted(having, key=lambda name: (-len(name), name))


def _without_articles(names: Sequence[str]) -> list[str]:
    return [bare for name in names if (bare := name.removeprefix("the "))]


def make_window(
    page: ReadPage, place: int, name: str, *, linked: bool, of_item: bool
) -> EvidenceWindow:
    """Return the sentence with this number, with up to two before it of the same line."""
    own = page.sentences[place]
    before = page.sentences[max(0, place - SENTENCES_BEFORE) : place]
    start = next((each.start for each in before if each.block == own.block), own.start)
    return EvidenceWindow(
        title=page.article.title,
        path=page.path,
        revision=page.revision,
        url=page.url,
        start=start,
        end=own.end,
        sentence=own.start,
        text=page.article.text[start : own.end],
        found=name,
        linked=linked,
        of_item=of_item,
    )


def _small(words: str) -> str:
    return lower_keeping_length(fold_words(words))
