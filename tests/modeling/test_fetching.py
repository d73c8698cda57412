"""A model is downloaded from a hub (here on loopback) when someone asks, and only what is read."""

import json
import threading
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command

from modeling import fetching, weights
from modeling.base import MissingModel

pytestmark = pytest.mark.xdist_group("models")
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """One model, its files by name, and what was asked of it."""

    def __init__(self, files):
        self.name, self.files, self.fetched, self.status = "our-lab/reader", files, [], 200

    def answer(self, path):
        """Return status, headers and content for a path."""
        parts = urlsplit(path).path.strip("/")
        if self.status != 200:
            return self.status, {"X-Error-Message": "It is being repaired."}, b""
        if parts.startswith("api/models/"):
            if not parts.startswith(f"api/models/{self.name}"):
                return 404, {"X-Error-Code": "RepoNotFound"}, b"{}"
            if f"{self.name}/tree/" in parts:
                rows = [
                    {"type": "file", "path": key, "size": len(data), "oid": "0" * 40}
                    for key, data in self.files.items()
                ]
                return 200, {"Content-Type": "application/json"}, json.dumps(rows).encode()
            siblings = [{"rfilename": key, "size": len(data)} for key, data in self.files.items()]
            body = {"id": self.name, "sha": COMMIT, "siblings": siblings}
            return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()
        name = parts.split("/", 4)[-1]
        content = self.files[name]
        digest = sha256(content).hexdigest()
        return 200, {"ETag": f'"{digest}"', "X-Repo-Commit": COMMIT}, content


@contextmanager
def serving(hub):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            status, headers, content = hub.answer(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                hub.fetched.append(self.path.rsplit("/", 1)[-1])
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def hub(tmp_path, monkeypatch, settings):
    """The hub, whose model is that of “reader”; the cache of this machine is empty."""
    hub = Hub(
        {
            "config.json": b"{}",
            "tokenizer.json": b"{}",
            "vocab.txt": b"[PAD]",
            "README.md": b"About it.",
            "model.safetensors": b"weights" * 100,
            "pytorch_model.bin": b"the same again",
            "tf_model.h5": b"and again",
            "onnx/model.onnx": b"and again",
            "1_Pooling/config.json": b"{}",
        }
    )
    settings.MODELS = {"reader": hub.name}
    with serving(hub) as address:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        monkeypatch.setattr(
            "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE",
            address + "/{repo_id}/resolve/{revision}/{filename}",
        )
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
        yield hub


def test_a_model_is_downloaded_when_asked_and_then_found(hub, capsys):
    with pytest.raises(MissingModel, match=r"our-lab/reader is not on this machine.*fetch_model"):
        weights.get_weights("reader")
    assert hub.fetched == []

    call_command("fetch_model", "reader")
    out = capsys.readouterr().out
    have = weights.get_weights("reader")
    assert "our-lab/reader: 6 files, 0.0 MB." in out
    assert f"version {have.version}" in out
    assert (have.folder / "model.safetensors").read_bytes() == b"weights" * 100
    assert not (have.folder / "pytorch_model.bin").exists()
    assert (have.folder / "README.md").read_bytes() == b"About it."  # it names the licence

    before = len(hub.fetched)
    call_command("fetch_model", "reader")
    assert "model.safetensors" not in hub.fetched[before:]


def test_the_version_of_what_was_downloaded_is_that_of_the_same_files_elsewhere(hub, tmp_path):
    call_command("fetch_model", "reader")
    have, folder = weights.get_weights("reader"), tmp_path / "copy"
    (folder / "1_Pooling").mkdir(parents=True)
    for name in fetching.select_model_files(hub.files):
        (folder / name).write_bytes(hub.files[name])
    assert weights.get_weights("reader", str(folder)).version == have.version


def test_another_model_can_be_named(hub, settings):
    settings.MODELS = {}
    with pytest.raises(MissingModel, match="fetch_model reader --name our-lab/reader"):
        weights.get_weights("reader", hub.name)
    call_command("fetch_model", "reader", "--name", hub.name)
    assert weights.get_weights("reader", hub.name)


def refused(*arguments):
    """Return the exit status and the sentence of the command."""
    with pytest.raises(CommandError) as error:
        call_command("fetch_model", *arguments)
    return error.value.returncode, str(error.value)


def test_a_hub_that_refuses_is_a_sentence(hub):
    status, sentence = refused("reader", "--name", "our-lab/other")
    assert status == 1
    assert "our-lab/other cannot be downloaded: the hub has no such model" in sentence

    hub.status = 403
    status, sentence = refused("reader")
    assert status == 1
    assert sentence.startswith("The model our-lab/reader cannot be downloaded: 403")
    assert sentence.endswith("Run the same command again to continue from there.")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("minilm", "“minilm” is a package. Run “make models”"),
        ("/srv/reader", "“reader” runs on a folder, /srv/reader: there is nothing to download."),
        ("no name", "“no name” is not the name of a model of the hub."),
    ],
)
def test_what_is_not_on_the_hub_is_not_downloaded(name, sentence):
    status, said = refused("reader", "--name", name)
    assert (status, said[: len(sentence)]) == (2, sentence)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
          "model.safetensors.index.json", "pytorch_model.bin"],
         ["model.safetensors.index.json", "model-00001-of-00002.safetensors",
          "model-00002-of-00002.safetensors"]),
        (["pytorch_model.bin", "spiece.model", "flax_model.msgpack", "model.py"],
         ["spiece.model", "pytorch_model.bin"]),
    ],
)  # fmt: skip
def test_weights_are_wanted_in_one_format(files, expected):
    assert list(fetching.select_model_files(files)) == expected


def test_a_model_without_weights_for_pytorch_is_refused():
    with pytest.raises(MissingModel, match="no weights that PyTorch can read"):
        fetching.select_model_files(["tf_model.h5", "config.json"])
