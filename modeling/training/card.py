"""The card of a trained model, as the hub reads it: what it is, from what, and how good on dev."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_TASKS: Final = {
    "write": "text2text-generation",
    "fuse": "text2text-generation",
    "classify": "text-classification",
    "find spans": "question-answering",
    "read a page": "question-answering",
    "read boxes": "question-answering",
    "embed": "feature-extraction",
    "rank": "text-ranking",
}


def write_card(path: Path, facts: Mapping[str, Any]) -> None:
    """Write the card from what `training.json` says."""
    path.write_text(build_card(facts), encoding="utf-8")


def build_card(facts: Mapping[str, Any]) -> str:
    """Return the card: a header that `huggingface_hub.ModelCard` reads, then sentences."""
    import yaml  # of the base installation

    base, dev, data = facts["base"], facts["dev"], facts["data"]
    header: dict[str, Any] = {
        "library_name": "transformers",
        "pipeline_tag": _TASKS[facts["recipe"]["learns"]],
        "tags": ["ambit", facts["role"]],
    }
    if "/" in base["name"] and not base["name"].startswith((".", "/")):
        header["base_model"] = base["name"]
    licence = base.get("licence", "")
    if licence:
        header["license"] = licence
    figures = {name: value for name, value in dev.items() if name not in ("n", "tuned_on")}
    bounds = facts.get("dev_intervals", {})
    scored = ", ".join(_figure(name, value, bounds.get(name)) for name, value in figures.items())
    versions = facts["packages"] | ({"commit": facts["commit"]} if "commit" in facts else {})
    lines = [
        f"# {facts['key']}",
        f"Weights for the part “{facts['role']}” of a baseline of Ambit. They were trained from "
        f"{base['name']} (version {base['version']}). {_licence(licence)}",
        "## Dev",
        f"{scored}, over {dev['n']:,} questions. The checkpoint was chosen on the same questions, "
        "so that these figures are too good by a little."
        if figures
        else "No dev was used: these are the weights of the last step.",
        "## Training",
        f"{data['examples']:,} examples (SHA-256 {data['digest']}). {_left_out(data['left_out'])}",
        f"Seed {facts['seed']}, {facts['steps']:,} steps, of which step {facts['best_step']:,} was "
        f"kept; {facts['seconds']:,.0f} seconds on {facts['device']} in {facts['precision']}.",
        _table("Recipe", facts["recipe"]),
        _table("Versions", versions),
        "One seed was used. Other seeds can differ by several points where there are few examples.",
    ]
    lines += [_table(name.capitalize(), facts[name]) for name in ("retrieval",) if name in facts]
    extra = {name: value for name, value in data.items() if name not in _SAID}
    if extra:
        lines.append(_table("Data", extra))
    top = yaml.safe_dump(header, sort_keys=False, allow_unicode=True)
    return f"---\n{top}---\n\n" + "\n\n".join(lines) + "\n"


_SAID: Final = ("digest", "dev_digest", "examples", "left_out")


def _figure(name: str, value: float, bounds: Sequence[float] | None) -> str:
    between = f" (95 % interval {bounds[0]:.4g} to {bounds[1]:.4g})" if bounds else ""
    return f"{name} {value:.4g}{between}"


def _licence(licence: str) -> str:
    if licence:
        return f"The licence of the base is {licence}."
    return "The licence of the base is not known here: look where it is from before you share them."


def _left_out(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return "None was left out."
    counted = (f"{name.replace('_', ' ')} {count:,}" for name, count in sorted(reasons.items()))
    return f"Left out, by reason: {', '.join(counted)}."


def _table(title: str, values: Mapping[str, Any]) -> str:
    rows = [f"| {name.replace('_', ' ')} | {_cell(value)} |" for name, value in values.items()]
    return "\n".join([f"## {title}", "", "| | |", "| --- | --- |", *rows])


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {each}" for name, each in value.items())
    return str(value).replace("|", "\\|").replace("\n", " ")
