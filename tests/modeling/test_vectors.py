"""Vectors of passages: made once, continued when stopped, replaced in one step, found stale."""

import json
import os
import signal
import time

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from modeling.base import BadOption, MissingModel
from modeling.dense import DenseCorpus
from modeling.vectors import building, nearest
from modeling.vectors.building import build_vectors
from modeling.vectors.store import read_info, require_vectors, vectors_dir
from tests.modeling import wordvectors
from tests.wikipedia.conftest import data_dir  # noqa: F401 - a fixture
from wikipedia.providers.zim import index_dir
from wikipedia.search import stored
from wikipedia.search.index import BuildLock, IndexBusy
from wikipedia.search.index import read_info as read_passages
from wikipedia.search.stored import passages_at, passages_from

PASSAGES = [
    ("1", "Thames Tunnel", "Brunel dug it below the river."),
    ("2", "Tower Bridge", "Two towers and a road that opens."),
    ("3", "Ferry", "Boats crossed before."),
    ("4", "Lund", "Harbour with cranes."),
    ("5", "Sound", "Salt water and wind."),
]
QUERY = "Ferry Boats crossed before?"


@pytest.fixture
def words(monkeypatch, data_dir, tmp_path):  # noqa: F811
    monkeypatch.setattr(building, "BATCH", 2)
    monkeypatch.setattr(stored, "_POSITIONS", 1)
    wordvectors.corpus(tmp_path, PASSAGES)
    return wordvectors.install(monkeypatch)


def found(query=QUERY, top=5):
    return [passage.id for passage in DenseCorpus("bridges", "v", "minilm").search(query, top)]


# --- passages as they are stored -----------------------------------------------------------------


def test_every_passage_once_and_again_by_its_place(words):
    folder, version = index_dir("bridges"), read_passages(index_dir("bridges")).folder
    batches = list(passages_from(folder, version))
    assert [until for until, _ in batches] == [1, 2, 3, 4, 5]
    every = [passage for _, batch in batches for passage in batch]
    assert [(p.id, p.title, p.text) for p in every] == PASSAGES
    assert passages_at(folder, version, [every[3].place, every[1].place]) == [every[3], every[1]]
    assert passages_at(folder, version, []) == []
    assert [p.id for _, batch in passages_from(folder, version, 3) for p in batch] == ["4", "5"]


def test_places_of_an_older_index_are_refused(words, tmp_path):
    folder, version = index_dir("bridges"), read_passages(index_dir("bridges")).folder
    wordvectors.corpus(tmp_path, PASSAGES[:2])
    with pytest.raises(stored.IndexProblem, match="built again in the meantime"):
        passages_at(folder, version, [0])


# --- building ------------------------------------------------------------------------------------


def test_the_nearest_passages_first_with_all_that_is_known_of_them(words):
    info = build_vectors("bridges", "minilm")
    assert (info.kind, info.count, info.size) == ("flat", 5, wordvectors.SIZE)
    passage = DenseCorpus("bridges", "v", "minilm").search(QUERY, 1)[0]
    assert (passage.id, passage.title, passage.text) == PASSAGES[2]
    assert passage.score == pytest.approx(1.0, abs=0.01)
    assert len(found(top=3)) == 3
    assert sorted(found(top=100)) == ["1", "2", "3", "4", "5"]


def test_titles_are_read_with_the_texts(words):
    build_vectors("bridges", "minilm")
    assert found("Thames Tunnel")[0] == "1"


def test_finished_vectors_are_not_made_again(words):
    info, read = build_vectors("bridges", "minilm"), len(words.read)
    assert build_vectors("bridges", "minilm") == info
    assert len(words.read) == read


@pytest.mark.parametrize("torn", [False, True])
def test_a_build_that_was_stopped_continues(words, torn):
    seen = []

    def stop(done, total):
        seen.append((done, total))
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_vectors("bridges", "minilm", progress=stop)
    assert seen == [(0, 5), (2, 5), (4, 5)]
    assert read_info(vectors_dir("bridges", "minilm")) is None
    if torn:  # killed while it wrote the next batch
        for name in (building.VECTORS, building.PLACES):
            with (vectors_dir("bridges", "minilm") / building.BUILDING / name).open("ab") as file:
                file.write(b"\x01" * 7)
    words.read.clear()
    build_vectors("bridges", "minilm", progress=lambda *counts: seen.append(counts))
    assert seen[3:] == [(4, 5), (5, 5)]
    assert words.read == [["Salt water and wind."]]
    for number, (name, title, text) in enumerate(PASSAGES):
        assert found(f"{title} {text}")[0] == PASSAGES[number][0] == name


def test_killed_at_any_moment_it_goes_on(words, data_dir, tmp_path, monkeypatch):  # noqa: F811
    passages = [(str(n), f"Page {n}", f"Text {n} {n * n}.") for n in range(400)]
    wordvectors.corpus(tmp_path, passages, name="whole")
    wordvectors.corpus(tmp_path, passages, name="killed")
    build_vectors("whole", "minilm")
    encode = words.encode
    monkeypatch.setattr(words, "encode", lambda *texts: time.sleep(0.002) or encode(*texts))
    ends = []
    while read_info(vectors_dir("killed", "minilm")) is None:
        pid = os.fork()
        if not pid:
            build_vectors("killed", "minilm")
            os._exit(0)
        time.sleep(0.1 + 0.03 * len(ends))
        os.kill(pid, signal.SIGKILL)
        ends.append(os.waitpid(pid, 0)[1])
    assert signal.SIGKILL in ends
    one, two = (DenseCorpus(name, "v", "minilm") for name in ("whole", "killed"))
    monkeypatch.setattr(words, "encode", encode)
    for _, title, text in passages[::37]:
        assert [p.id for p in one.search(f"{title} {text}", 50)] == [
            p.id for p in two.search(f"{title} {text}", 50)
        ]
    assert read_info(vectors_dir("killed", "minilm")).count == 400


def test_a_build_of_other_weights_is_not_continued(words, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        build_vectors("bridges", "minilm", progress=_stop_at(2))
    other = wordvectors.install(monkeypatch, version="2")
    assert build_vectors("bridges", "minilm").weights == "2"
    assert sum(map(len, other.read)) == 5


def _stop_at(count):
    def stop(done, total):
        if done == count:
            raise KeyboardInterrupt

    return stop


def test_the_old_vectors_are_searched_until_the_new_ones_are_whole(words, monkeypatch):
    old = build_vectors("bridges", "minilm")
    wordvectors.install(monkeypatch, version="2").sign = -1.0
    with pytest.raises(KeyboardInterrupt):
        build_vectors("bridges", "minilm", progress=_stop_at(4))
    assert read_info(vectors_dir("bridges", "minilm")) == old
    new = build_vectors("bridges", "minilm")
    folder = vectors_dir("bridges", "minilm")
    assert [path.name for path in folder.glob("v-*")] == [new.folder]
    assert sorted(path.name for path in (folder / new.folder).iterdir()) == [
        building.PLACES,
        nearest.INDEX,
    ]


def test_two_builds_at_once(words):
    folder = vectors_dir("bridges", "minilm")
    folder.mkdir(parents=True)
    with BuildLock(folder), pytest.raises(IndexBusy, match="Another process"):
        build_vectors("bridges", "minilm")


def test_numbers_that_are_none_are_refused(words):
    words.sign = float("nan")
    with pytest.raises(MissingModel, match="not finite"):
        build_vectors("bridges", "minilm")


def test_what_cannot_be_built(words, data_dir):  # noqa: F811
    with pytest.raises(MissingModel, match="“rivers” has no passages"):
        build_vectors("rivers", "minilm")
    with pytest.raises(BadOption, match=r"“tree” is not known\. Use auto, flat, hnsw, ivf"):
        build_vectors("bridges", "minilm", kind="tree")
    with pytest.raises(BadOption, match="Name an encoder: minilm, dpr"):
        build_vectors("bridges", "")


# --- what fits -----------------------------------------------------------------------------------


def test_without_vectors_the_command_is_named(words):
    with pytest.raises(MissingModel, match=r"Run: python manage\.py index_vectors bridges --enc"):
        require_vectors("bridges", "minilm")


def test_vectors_of_other_passages_are_stale(words, tmp_path):
    build_vectors("bridges", "minilm")
    corpus = DenseCorpus("bridges", "v", "minilm")
    wordvectors.corpus(tmp_path, PASSAGES[:4])
    with pytest.raises(MissingModel, match="has been indexed again since its vectors"):
        DenseCorpus("bridges", "v", "minilm")
    with pytest.raises(MissingModel, match="built again in the meantime"):
        corpus.search(QUERY, 1)
    assert build_vectors("bridges", "minilm").count == 4
    assert found()[0] == "3"


def test_vectors_of_other_weights_are_stale(words, monkeypatch):
    version = DenseCorpusVersion()
    build_vectors("bridges", "minilm")
    before = version()
    wordvectors.install(monkeypatch, version="2")
    with pytest.raises(MissingModel, match="other weights than those that are here now"):
        version()
    build_vectors("bridges", "minilm")
    assert version() != before


class DenseCorpusVersion:
    def __call__(self, passages="v"):
        return DenseCorpus("bridges", passages, "minilm").version


def test_its_version_is_that_of_passages_weights_and_index(words):
    version = DenseCorpusVersion()
    build_vectors("bridges", "minilm")
    before = version()
    assert version() == before != version("w")
    build_vectors("bridges", "minilm", kind="ivf")
    assert version() != before


def test_vectors_made_elsewhere_need_no_weights_of_passages(words, monkeypatch):
    build_vectors("bridges", "minilm")

    def find(role, name=""):
        if role == "passage-encoder":
            raise MissingModel("It is not on this machine.")
        return wordvectors.weights(role, name)

    monkeypatch.setattr("modeling.vectors.store.get_weights", find)
    assert found()[0] == "3"


def test_encoders_whose_vectors_have_other_sizes(words, monkeypatch):
    build_vectors("bridges", "minilm")
    monkeypatch.setattr(words, "encode", lambda texts: np.ones((1, 3), dtype=np.float32))
    with pytest.raises(MissingModel, match=r"a question 3 numbers, and the passages .* have 24"):
        found()


def test_a_file_that_is_gone_is_a_sentence(words):
    info = build_vectors("bridges", "minilm")
    (vectors_dir("bridges", "minilm") / info.folder / nearest.INDEX).unlink()
    with pytest.raises(MissingModel, match="The vectors of “bridges” cannot be read"):
        found()


def test_every_encoder_has_a_folder_of_its_own():
    names = ("minilm", "dpr", "BAAI/bge-small", "/srv/models/x", "../x", "a/b", "a-b")
    folders = [vectors_dir("bridges", name) for name in names]
    assert len(set(folders)) == len(names)
    assert all(folder.parent.name == "vectors" for folder in folders)


# --- the nearest ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """Vectors in clusters, as texts are, and questions near some of them."""
    random = np.random.default_rng(7)
    centres = random.normal(size=(40, 16))
    vectors = centres[random.integers(0, 40, 4_000)] + random.normal(size=(4_000, 16)) * 0.5
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    return vectors, vectors[::200].astype(np.float32)


@pytest.mark.parametrize("kind", nearest.KINDS)
def test_each_kind_finds_nearly_all_that_are_near(many, tmp_path, kind, capfd):
    vectors, questions = many
    nearest.write_index(kind, vectors, tmp_path, shard=1_500)
    index = nearest.NearestIndex(kind, tmp_path)
    assert index.size == 16
    shares = []
    for question in questions:
        products = vectors.astype(np.float32) @ question
        best = set(np.argsort(-products)[:20].tolist())
        pairs = index.search(question, 20)
        assert [score for _, score in pairs] == sorted((s for _, s in pairs), reverse=True)
        assert pairs[0][1] == pytest.approx(products.max(), abs=0.02)
        shares.append(len(best & {number for number, _ in pairs}) / 20)
    assert np.mean(shares) > 0.95
    assert not capfd.readouterr().out  # FAISS must not write into a command's JSON


def test_an_index_of_lists_that_was_stopped_continues(many, tmp_path, monkeypatch):
    vectors, _ = many
    save, saved = nearest._save, []

    def dies_at_third(index, path):
        saved.append(path.name)
        if len(saved) == 3:
            raise KeyboardInterrupt
        save(index, path)

    monkeypatch.setattr(nearest, "_save", dies_at_third)
    with pytest.raises(KeyboardInterrupt):
        nearest.write_index("ivf", vectors, tmp_path, shard=1_500)
    monkeypatch.setattr(nearest, "_save", _noting(save, saved))
    nearest.write_index("ivf", vectors, tmp_path, shard=1_500)
    first, *shards = [nearest.CENTRES, *(f"lists-{number:05}.faiss" for number in range(3))]
    assert saved == [first, *shards[:2], *shards[1:]]
    index = nearest.NearestIndex("ivf", tmp_path)
    assert {index.search(vectors[n].astype(np.float32), 1)[0][0] for n in (0, 1_600, 3_999)} == {
        0, 1_600, 3_999
    }  # fmt: skip


def _noting(save, saved):
    def noting(index, path):
        saved.append(path.name)
        save(index, path)

    return noting


def test_the_kind_suits_the_number():
    assert [nearest.kind_for(n) for n in (1, 20_000, 20_001, 21_000_000)] == [
        "flat", "flat", "ivf", "ivf"
    ]  # fmt: skip


# --- the command ---------------------------------------------------------------------------------


def test_the_command(words, capsys):
    call_command("index_vectors", "bridges", "--encoder", "minilm", "--json")
    facts = json.loads(capsys.readouterr().out)
    del facts["seconds"]
    assert facts == {
        "name": "bridges", "encoder": "minilm", "index": "flat", "passages": 5,
        "size": wordvectors.SIZE,
    }  # fmt: skip
    call_command("index_vectors", "bridges", "--encoder", "minilm")
    assert "5 passages of “bridges” can be searched by their vectors" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("../etc", "There is no snapshot “../etc”"), ("rivers", "“rivers” has no passages")],
)
def test_the_command_explains_what_is_wrong(words, name, sentence):
    with pytest.raises(CommandError, match=sentence) as refused:
        call_command("index_vectors", name, "--encoder", "minilm")
    assert refused.value.returncode == 2
