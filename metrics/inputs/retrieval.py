"""Files to score retrievers on: DPR's format, QAMPARI's with evidence, plain ids."""

from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from metrics import retrieval
from metrics.inputs import files
from metrics.retrieval import Reference, TitledPassage
from metrics.score import BadInput, Evaluation

_KEYS = ("qid", "id", "question")
_PASSAGE_IDS = ("id", "passage_id", "psg_id", "chunk_id")


def score_files(
    references: Path,
    predictions: Path,
    *,
    missing: files.Missing = "error",
    extra: files.Extra = "error",
    depths: Sequence[int] = retrieval.DEPTHS,
) -> Evaluation:
    """Read references and retrieved passages and score them; one file may serve as both.

    A question without passages is an error unless ``missing`` is "zero". Raises ``BadInput``.
    """
    if not depths or min(depths) < 1:
        raise BadInput("Depths must be whole numbers of at least 1.")
    gold = read_references(references)
    given = read_predictions(predictions)
    files.check_ids_match(gold, given, path=predictions, missing=missing, extra=extra)
    return retrieval.score_predictions(gold, given, depths=depths)


def read_references(path: Path) -> dict[str, Reference]:
    """Return what should be found for each question, from a list or lines of records.

    Answers: ``answer_list`` of {answer_text, aliases}, or ``answers``, a list of lists of aliases,
    or a list of strings, which are then the aliases of one answer (as in DPR's NQ). Evidence:
    ``positive_ctxs`` of {title, text}; where passages have a ``pid`` that the ``proof`` of an
    answer names, they belong to that answer, and otherwise each counts for itself. Relevant
    passages: ``relevant``, a list of ids. The key is ``qid``, ``id`` or ``question``, the first
    that all records of the file have.

    Raises ``BadInput`` with the question for anything else, and where a record has none of them.
    """
    found = {}
    for name, record in _records(path).items():
        where = f"{path}, question {name}"
        evidence = _evidence(record, where)
        reference = Reference(_answers(record, where), evidence, _relevant(record, where))
        if not (reference.answers or reference.evidence or reference.relevant):
            raise BadInput(f"{where}: has no answers, no positive_ctxs and no relevant passages.")
        found[name] = reference
    return found


def read_predictions(path: Path) -> dict[str, list[TitledPassage]]:
    """Return the passages retrieved for each question, best first.

    The file is a list or lines of records with ``ctxs``: a list of {text, title, id}, of which only
    the text, or else the id, is needed. The order is the file's, whatever the scores in it. The key
    is as in ``read_references``.

    Raises ``BadInput`` with the question for anything else.
    """
    found = {}
    for name, record in _records(path).items():
        if "ctxs" not in record:
            raise BadInput(f"{path}, question {name}: has no ctxs. Give the retrieved passages.")
        found[name] = _passages(record["ctxs"], f"{path}, question {name}, ctxs")
    return found


def _records(path: Path) -> dict[str, dict[str, Any]]:
    """Return the records of a file by their key."""
    records = files.list_records(path, files.read_records(path))
    if not records:
        raise BadInput(f"{path}: has no questions.")
    key = next((key for key in _KEYS if all(key in record for record in records)), None)
    if key is None:
        raise BadInput(f"{path}: every record must have a qid, or every one an id or a question.")
    return files.by_id(path, records, itemgetter(key), key)


def _answers(record: dict[str, Any], where: str) -> tuple[tuple[str, ...], ...]:
    if "answer_list" in record:
        return tuple(
            tuple(_strings(answer.get("aliases", [answer.get("answer_text")]), where, "aliases"))
            for answer in _objects(record["answer_list"], where, "answer_list")
        )
    answers = record.get("answers", [])
    if isinstance(answers, list) and answers and all(isinstance(each, str) for each in answers):
        return (tuple(answers),)
    if not isinstance(answers, list):
        raise BadInput(f"{where}: answers must be a list.")
    return tuple(tuple(_strings(aliases, where, "answers")) for aliases in answers)


def _evidence(record: dict[str, Any], where: str) -> tuple[tuple[TitledPassage, ...], ...]:
    """Return the evidence passages, grouped by answer where the file says whose they are."""
    positives = record.get("positive_ctxs", [])
    passages = _passages(positives, f"{where}, positive_ctxs")
    pids = [positive.get("pid") for positive in positives]
    groups: list[tuple[TitledPassage, ...]] = []
    grouped: set[int] = set()
    answers = record.get("answer_list", [])
    for answer in _objects(answers, where, "answer_list"):
        proofs = _objects(answer.get("proof", []), where, "proof")
        wanted = [proof["pid"] for proof in proofs if proof.get("pid") is not None]
        places = [place for place, pid in enumerate(pids) if pid in wanted]
        grouped |= set(places)
        if places:
            groups.append(tuple(passages[place] for place in places))
    alone = [(passage,) for place, passage in enumerate(passages) if place not in grouped]
    return (*groups, *alone)


def _relevant(record: dict[str, Any], where: str) -> frozenset[str]:
    ids = record.get("relevant", [])
    if not isinstance(ids, list) or not all(_is_id(each) for each in ids):
        raise BadInput(f"{where}: relevant must be a list of passage ids.")
    return frozenset(map(str, ids))


def _passages(value: Any, where: str) -> list[TitledPassage]:
    found = []
    for place, record in enumerate(_objects(value, where, "passages"), 1):
        title, text = record.get("title", ""), record.get("text", "")
        if not isinstance(title, str) or not isinstance(text, str):
            raise BadInput(f"{where}, passage {place}: title and text must be strings.")
        name = next((record[key] for key in _PASSAGE_IDS if record.get(key) is not None), "")
        if not _is_id(name):
            raise BadInput(f"{where}, passage {place}: the id must be a string or a whole number.")
        if not text and name == "":
            raise BadInput(f"{where}, passage {place}: has neither text nor id.")
        found.append(TitledPassage(title, text, str(name)))
    return found


def _objects(value: Any, where: str, name: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise BadInput(f"{where}: {name} must be a list of JSON objects.")
    return value


def _strings(value: Any, where: str, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadInput(f"{where}: {name} must be a list of strings.")
    return value


def _is_id(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)
