"""From the chosen checkpoint of a training to weights that baselines can name. Loads no torch."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from annotation.core.refusals import Conflict
from modeling.training.card import write_card
from modeling.training.provenance import find_commit, find_licence
from modeling.training.runs import CURVE, PLAN, START, TrainedResult, read_result
from modeling.training.shrinking import read_at_once
from modeling.weights import PROVENANCE, TRAINED, trained_folder

# Of a checkpoint. Its other files hold the state of a training, one of them paths of this machine.
_OF_CHECKPOINT: Final = ("config.json", "generation_config.json", "*.safetensors", "*.index.json")
_PACKAGES: Final = ("torch", "transformers", "accelerate", "tokenizers", "safetensors")
# Numbers of the functions in modeling/inputs.py that made the texts.
TEXTS: Final = "1"


def publish_model(folder: Path, key: str, facts: Mapping[str, Any] | None = None) -> Path:
    """Copy the weights that a finished training chose to where `trained:KEY` finds them.

    facts: what else `training.json` and the card say, such as "retrieval", the licence of "base" or
    where "data" are from; `training_facts` is what they say without. Raises Conflict where the key
    is taken, since weights of one name must stay what they are; BadOption for what is no key;
    MissingModel where the training is not finished.
    """
    target = trained_folder(key)
    result = read_result(folder)
    if target.exists():
        raise _taken(key)
    draft = target.with_name(f".{key}.{folder.name}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        shutil.copytree(folder / START, draft, dirs_exist_ok=True)
        for pattern in _OF_CHECKPOINT:
            for path in result.checkpoint.glob(pattern):
                shutil.copy2(path, draft / path.name)
        shutil.copy2(folder / CURVE, draft / CURVE)
        said = {"key": key, **training_facts(folder, result)}
        for name, value in (facts or {}).items():
            both = isinstance(value, Mapping) and isinstance(said.get(name), Mapping)
            said[name] = {**said[name], **value} if both else value
        text = json.dumps(said, ensure_ascii=False, indent=2) + "\n"
        (draft / PROVENANCE).write_text(text, encoding="utf-8")
        write_card(draft / "README.md", said)
        try:
            draft.rename(target)
        except OSError:  # it was published by someone else meanwhile
            raise _taken(key) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def training_facts(folder: Path, result: TrainedResult) -> dict[str, Any]:
    """Return what a training's folder says of how its weights came about."""
    plan = json.loads((folder / PLAN).read_text())
    at_once = read_at_once(folder)
    role, base = plan["recipe"]["role"], plan["base"]
    licence, commit = find_licence(role, base["name"]), find_commit()
    return {
        "role": role,
        "base": base | ({"licence": licence} if licence else {}),
        "recipe": plan["recipe"],
        "settings": plan["settings"] | ({"at_once": at_once} if at_once else {}),
        "texts": TEXTS,
        "data": {
            "digest": plan["train"],
            "dev_digest": plan["dev"],
            "examples": result.examples,
            "left_out": result.left_out,
        },
        "seed": plan["seed"],
        "steps": result.steps,
        "best_step": result.step,
        "device": result.device,
        "precision": result.precision,
        "threads": result.threads,
        "seconds": result.seconds,
        **({"commit": commit} if commit else {}),
        "packages": {name: version(name) for name in _PACKAGES} | {"ambit": settings.VERSION},
        "dev": {"n": result.dev_questions, "tuned_on": bool(result.figures), **result.figures},
        "dev_intervals": result.intervals,
    }


def _taken(key: str) -> Conflict:
    return Conflict(f"There are weights {TRAINED}{key} already. Choose another name.")
