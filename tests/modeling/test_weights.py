"""Weights are found without loading them; for what is missing, a sentence says what to do."""

import subprocess
import sys
from pathlib import Path

import pytest

from modeling import weights
from modeling.base import BadOption, MissingModel

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (model / name).write_text(name)
    return model


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A hub's cache that holds one file of facebook/bart-large; returns the folder of its files."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    commit = "0123456789abcdef0123456789abcdef01234567"
    model = tmp_path / "models--facebook--bart-large"
    files = model / "snapshots" / commit
    files.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text(commit)
    (files / "config.json").write_text("{}")
    return files


def test_a_folder_is_found(folder):
    have = weights.get_weights("reader", str(folder))
    assert (have.role, have.name, have.folder) == ("reader", str(folder), folder)


def test_the_version_is_of_the_files_and_not_of_their_place(folder, tmp_path):
    first = weights.get_weights("reader", str(folder)).version
    assert len(first) == 12
    moved = folder.rename(tmp_path / "elsewhere")
    assert weights.get_weights("reader", str(moved)).version == first

    (moved / "README.md").write_text("Words about it.")
    assert weights.get_weights("reader", str(moved)).version == first
    (moved / "model.safetensors").write_text("other weights")
    second = weights.get_weights("reader", str(moved)).version
    (moved / "tokenizer.json").write_text("another tokenizer")
    assert len({first, second, weights.get_weights("reader", str(moved)).version}) == 3


def test_the_hash_of_a_large_file_is_noted_for_other_processes(folder, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path / "data"
    (folder / "model.safetensors").write_bytes(bytes(10_000_001))
    first = weights.get_weights("reader", str(folder)).version
    (note,) = (tmp_path / "data" / "models" / "digests").iterdir()
    weights._hashed.cache_clear()
    assert weights.get_weights("reader", str(folder)).version == first
    note.write_text("0" * 64)
    weights._hashed.cache_clear()
    assert weights.get_weights("reader", str(folder)).version != first


def test_a_name_comes_from_the_option_else_the_settings_else_the_papers(settings, folder):
    settings.MODELS = {"reader": "minilm"}
    assert weights.get_weights("reader").name == "minilm"
    assert weights.get_weights("reader", str(folder)).name == str(folder)
    with pytest.raises(MissingModel, match="facebook/bart-large is not on this machine"):
        weights.get_weights("qd")


def test_weights_from_packages():
    assert (weights.get_weights("passage-encoder", "minilm").folder / "model.safetensors").is_file()
    assert list(weights.get_weights("passage-encoder", "smollm2").folder.glob("*.gguf"))


def test_a_model_in_the_hubs_cache_is_found_once_it_is_whole(hub):
    with pytest.raises(MissingModel, match=r"only in part.*python manage\.py fetch_model qd\."):
        weights.get_weights("qd")

    (hub / "model.safetensors.index.json").write_text('{"weight_map": {"a": "1.safetensors"}}')
    with pytest.raises(MissingModel, match="only in part"):
        weights.get_weights("qd")
    (hub / "1.safetensors").write_text("weights")
    assert weights.get_weights("qd").folder == hub


def test_a_list_of_files_that_is_no_list_is_not_believed(hub):
    (hub / "model.safetensors.index.json").write_text("[]")
    with pytest.raises(MissingModel, match="only in part"):
        weights.get_weights("qd")


@pytest.mark.parametrize("name", ["../../etc/passwd", "/nowhere", "./nowhere"])
def test_a_folder_without_a_model_is_refused(name):
    with pytest.raises(MissingModel, match=r"There is no model in .*config.json"):
        weights.get_weights("reader", name)


def test_a_folder_without_weights_is_refused(folder):
    (folder / "model.safetensors").unlink()
    with pytest.raises(MissingModel, match="There are no weights in"):
        weights.get_weights("reader", str(folder))


@pytest.mark.parametrize(
    "name", ["bert", "a/b/c", "https://huggingface.co/a/b", "org/na me", "-a/b"]
)
def test_what_is_no_name_is_refused(name):
    with pytest.raises(BadOption, match="is not the name of a model"):
        weights.get_weights("reader", name)


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(
        MissingModel, match=r"torch and transformers are not installed here\. Run “make models”"
    ):
        weights.get_weights("reader", "minilm")


def test_a_missing_package_with_weights_is_named(monkeypatch):
    monkeypatch.setattr(weights, "find_spec", lambda name: name in weights.LIBRARIES or None)
    with pytest.raises(
        MissingModel, match="The package with the weights “minilm” is not installed"
    ):
        weights.get_weights("reader", "minilm")


def test_a_combined_version_changes_with_each_of_them(folder):
    first = weights.get_weights("reader", str(folder))
    second = weights.get_weights("qd", "minilm")
    versions = {
        weights.combine_versions(1, first),
        weights.combine_versions(2, first),
        weights.combine_versions(1, second),
        weights.combine_versions(1, first, second),
        weights.combine_versions(1, second, first),
    }
    assert len(versions) == 5
    assert all(len(version) <= 20 for version in versions)


def test_finding_weights_loads_no_model_library():
    code = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings';"
        "from modeling import engines, weights; weights.get_weights('passage-encoder', 'minilm');"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "modeling.engines" in loaded
    assert not {"torch", "transformers", "huggingface_hub", "numpy"} & set(loaded)
