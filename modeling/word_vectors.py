"""Word vectors from a text file, as GloVe's and word2vec's come, to weights that a training reads.

A line is a word and its numbers with single spaces between them (GloVe's words may hold spaces
too); a first line of two whole numbers, as word2vec writes it, is left out. Words are read in small
letters; of two that are then the same the first counts, since files begin with frequent words.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from modeling.base import BadOption

MOST_WORDS: Final = 400_000  # about 500 MB of 300 numbers each
MODEL_TYPE: Final = "ambit-word-vectors"
TABLE: Final = "vectors"  # the name of the tensor: (words, numbers)
PAD, UNKNOWN = "[PAD]", "[UNK]"
_LONGEST_LINE: Final = 100_000  # characters
_MOST_NUMBERS: Final = 2_000

Vector = NDArray[np.float32]


def convert_word_vectors(path: Path, folder: Path) -> None:
    """Write the vectors of a file as weights with a tokenizer of its words into a folder.

    The folder appears when it is whole. Unknown words have the vector 0. Raises BadOption, with the
    line that is wrong, where the file is none of word vectors.
    """
    words, table = read_word_vectors(path)
    draft = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        _save(words, table, draft)
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def read_word_vectors(path: Path) -> tuple[dict[str, int], Vector]:
    """Return the row of each word, and the rows: those of padding and of unknown words first.

    The table is (words + 2, numbers of each). Raises BadOption.
    """
    rows: dict[str, int] = {PAD: 0, UNKNOWN: 1}
    vectors: list[Vector] = []
    first = size = 0
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, parts in _split_lines(path, file):
                if not size:
                    first, size = number, len(parts) - 1
                if len(rows) == MOST_WORDS + 2:
                    break
                word = " ".join(parts[:-size]).lower()
                vector = _read_vector(f"{path.name}, line {number:,}", parts, size, first)
                if word not in rows:
                    rows[word] = len(rows)
                    vectors.append(vector)
    except OSError as error:
        raise BadOption(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadOption(f"{path.name} is no text in UTF-8. Name a file of word vectors.") from None
    if not vectors:
        raise BadOption(f"{path.name} has no word vectors. Name a file with one a line.")
    return rows, np.concatenate([np.zeros((2, size), dtype=np.float32), np.stack(vectors)])


def _split_lines(path: Path, file: Any) -> Iterator[tuple[int, list[str]]]:
    """Give the number and the parts of each line with a vector."""
    for number in range(1, 1_000_000_000):
        line = file.readline(_LONGEST_LINE + 1)
        if not line:
            return
        if len(line) > _LONGEST_LINE:
            raise BadOption(
                f"{path.name}, line {number:,}: it is longer than {_LONGEST_LINE:,} characters. "
                "Name a file with one word and its numbers on each line."
            )
        parts = line.rstrip("\r\n ").split(" ")
        if parts == [""] or (number == 1 and len(parts) == 2 and _is_head(parts)):
            continue
        yield number, parts


def _is_head(parts: list[str]) -> bool:
    return all(part.isascii() and part.isdigit() for part in parts)


def _read_vector(where: str, parts: list[str], size: int, first: int) -> Vector:
    more = len(parts) > size + 1 and _is_number(parts[-size - 1])
    if not 1 <= size <= _MOST_NUMBERS or len(parts) <= size or more:
        raise BadOption(
            f"{where}: a word and 1 to {_MOST_NUMBERS:,} numbers with single spaces between them "
            f"are expected, as many as in line {first:,}; there are {len(parts) - 1:,} after the "
            "word."
        )
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
            vector = np.array(parts[-size:], dtype=np.float32)
    except ValueError:
        vector = np.full(size, np.nan, dtype=np.float32)
    if not np.isfinite(vector).all():
        raise BadOption(
            f"{where}: {size:,} finite numbers are expected after the word, as in line {first:,}. "
            "One of them is none."
        )
    return vector


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _save(words: dict[str, int], table: Vector, folder: Path) -> None:
    from safetensors.numpy import save_file  # loaded where weights are written, not with this
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    split = Tokenizer(models.WordLevel(words, unk_token=UNKNOWN))
    split.normalizer = normalizers.Lowercase()
    split.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    split.save(str(folder / "tokenizer.json"))
    save_file({TABLE: table}, folder / "model.safetensors")
    kind = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": PAD, "unk_token": UNKNOWN}
    (folder / "tokenizer_config.json").write_text(json.dumps(kind, indent=2) + "\n")
    settings = {"model_type": MODEL_TYPE, "vocab_size": len(table), "hidden_size": table.shape[1]}
    (folder / "config.json").write_text(json.dumps(settings, indent=2) + "\n")
