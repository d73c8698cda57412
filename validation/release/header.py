"""The header of a dataset card in YAML, as the hub of Hugging Face reads it.

https://huggingface.co/docs/hub/datasets-cards: what is searched for, and which file is which split.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.exports.layouts import Column, Layout
from validation.release.tables import Table

# Licences that the hub has a name for: those with a version.
_LICENCES = re.compile(r"cc[- ]?(by(?:-sa)?|0)[- ]([1-4]\.0)", re.IGNORECASE)
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))
_MORE = "1M<n<10M"


def render_card_header(manifest: Mapping[str, Any], layout: Layout, tables: Sequence[Table]) -> str:
    """Return the header with the lines around it. The tables are next to the card."""
    import yaml  # only a card needs it

    questions = manifest["counts"]["questions"]
    values: dict[str, Any] = {
        "pretty_name": manifest["project"]["title"],
        "language": [manifest["snapshot"]["language"]],
        **_licence(manifest["licence"]),
        "size_categories": [next((size for n, size in _SIZES if questions < n), _MORE)],
        "task_categories": ["question-answering"],
        "task_ids": ["open-domain-qa"],
        "tags": ["ambiguous-questions", manifest["project"]["protocol"], "croissant"],
    }
    if tables:
        values["configs"] = [
            {
                "config_name": "default",
                "data_files": [
                    {"split": table.split, "path": f"{manifest['file']}{table.ending}"}
                    for table in tables
                ],
            }
        ]
        # Without them texts such as 007 and 2019-01-01 would be read as numbers and times.
        values["dataset_info"] = {"features": [_feature(column) for column in layout.columns]}
    text = yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=1_000)
    return f"---\n{text}---\n\n"


def name_licence(licence: str) -> str:
    """Return the name under which hubs know a licence of Creative Commons, "" for any other."""
    if match := _LICENCES.fullmatch(licence.strip()):
        kind, version = match[1].lower(), match[2]
        return f"cc{kind}-{version}" if kind == "0" else f"cc-{kind}-{version}"
    return ""


def _licence(licence: str) -> dict[str, str]:
    """Return the hub's name of a licence; any other is `other`, with its own name."""
    if known := name_licence(licence):
        return {"license": known}
    name = re.sub(r"[^a-z0-9.]+", "-", licence.lower()).strip("-")
    return {"license": "other", "license_name": name or "unknown"}


def _feature(column: Column) -> dict[str, Any]:
    if column.parts:
        return {"name": column.name, "list": [_feature(part) for part in column.parts]}
    if not column.lists:
        return {"name": column.name, "dtype": "string"}
    kind: Any = "string"
    for _ in range(column.lists - 1):
        kind = {"sequence": kind}
    return {"name": column.name, "sequence": kind}
