"""Files of a co-training: whole or not there, and weights that are its own."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.core.refusals import Conflict
from modeling.training.publishing import publish_model, training_facts
from modeling.training.runs import TrainedResult
from modeling.weights import PROVENANCE, TRAINED, run_folder, trained_folder


def publish_once(folder: Path, name: str, result: TrainedResult, facts: Mapping[str, Any]) -> None:
    """Publish a finished training, unless it is published already.

    Raises Conflict where there are weights of this name that come from another training.
    """
    target = trained_folder(name)
    if not target.exists():
        publish_model(folder, name, facts)
        return
    said, own = json.loads((target / PROVENANCE).read_text()), training_facts(folder, result)
    same = all(said.get(part) == own[part] for part in ("base", "recipe", "settings", "seed"))
    if not same or said["data"].get("digest") != own["data"]["digest"]:
        raise Conflict(
            f"There are weights {TRAINED}{name} already, of another training. Delete them, or "
            "choose another name."
        )


def delete_cotrained_run(key: str) -> None:
    """Delete what a co-training keeps of one of its models: examples, checkpoints and answers.

    The last of its models takes the rest, in which are questions with their known answers. Nothing
    happens where the weights come from no co-training.
    """
    folder = run_folder(key).with_name(f"{key.rsplit('-', 2)[0]}-cotraining")
    shutil.rmtree(folder / key, ignore_errors=True)
    for ending in ("", "-dev"):
        (folder / f"{key}{ending}.json").unlink(missing_ok=True)
    if folder.is_dir() and not any(path.is_dir() for path in folder.iterdir()):
        shutil.rmtree(folder)


def write_json(path: Path, content: object) -> None:
    """Write a file that is whole if it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}")
    draft.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    draft.replace(path)
