"""The passages of a snapshot, as the index has them."""

import pytest

from modeling.base import MissingModel
from modeling.corpus import corpus_of
from tests import factories
from tests.wikipedia.conftest import data_dir, lund_index, snapshot, zim  # noqa: F401 - fixtures
from wikipedia.providers.zim import index_dir
from wikipedia.search.searching import search_passages

QUERY = "university of lund"


def test_it_gives_what_the_search_of_passages_gives(snapshot):  # noqa: F811
    corpus = corpus_of(snapshot)
    hits = search_passages(index_dir("lund"), QUERY, 3)
    passages = corpus.search(QUERY, 3)
    assert passages
    assert [(p.id, p.title, p.text, p.score, p.path) for p in passages] == [
        (hit.id, hit.title, hit.text, hit.score, hit.path) for hit in hits
    ]
    assert corpus.name == "lund"
    assert corpus.version == corpus_of(snapshot).version


def test_its_version_changes_with_the_index(snapshot):  # noqa: F811
    pointer = index_dir("lund") / "current.json"
    version = corpus_of(snapshot).version
    text = pointer.read_text()
    pointer.write_text(text.replace('"fingerprint": "', '"fingerprint": "0'))
    assert corpus_of(snapshot).version != version


def test_an_index_that_is_gone_is_named(snapshot):  # noqa: F811
    corpus = corpus_of(snapshot)
    (index_dir("lund") / "current.json").unlink()
    with pytest.raises(MissingModel):
        corpus.search(QUERY, 3)


def test_there_is_none_without_an_index(db, data_dir):  # noqa: F811
    assert corpus_of(factories.make_snapshot()) is None
    live = factories.make_snapshot(kind="live", address="http://127.0.0.1:9/api.php")
    assert corpus_of(live) is None
