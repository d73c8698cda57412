"""An encoder without a model: the words of a text, hashed into a few numbers."""

import hashlib
import io
import json
from pathlib import Path

import numpy as np
from django.core.management import call_command

from modeling import engines
from modeling.vectors import store
from modeling.weights import Weights

SIZE = 24


class Words:
    size = SIZE

    def __init__(self, sign=1.0):
        self.sign, self.read = sign, []

    def encode(self, texts, titles=None):
        self.read.append(list(texts))
        pairs = zip(titles or [""] * len(texts), texts, strict=True)
        return np.stack([self._vector(f"{title} {text}") for title, text in pairs])

    def _vector(self, text):
        vector = np.zeros(SIZE, dtype=np.float32)
        for word in text.lower().replace(".", " ").replace("?", " ").split():
            vector[hashlib.md5(word.encode(), usedforsecurity=False).digest()[0] % SIZE] += 1
        return self.sign * vector / np.linalg.norm(vector)


def install(monkeypatch, version="1"):
    """Let every role have these weights of this version, and this encoder. Returns the encoder."""
    words = Words()
    monkeypatch.setattr(store, "get_weights", lambda role, name="": weights(role, name, version))
    monkeypatch.setattr(engines, "load_encoder", lambda weights: words)
    return words


def weights(role, name="", version="1"):
    return Weights(role, name, Path("/nowhere"), version)


def corpus(tmp_path, passages, name="bridges"):
    """Index passages, each an (id, title, text), as a corpus of this name."""
    file = tmp_path / f"{name}.jsonl"
    rows = [dict(zip(("id", "title", "text"), passage, strict=True)) for passage in passages]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call_command(
        "index_passages", str(file), "--format", "jsonl", "--name", name, "--replace",
        stdout=io.StringIO(),
    )  # fmt: skip
