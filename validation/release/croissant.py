"""The Croissant description of a release: files, digests and columns, for programs to read.

Croissant 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html): JSON-LD in the
words of schema.org. Each table is one set of records, named as its split.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.exports.dataset import indent_json
from annotation.exports.format import JSON_LINES
from annotation.exports.layouts import Column, Layout
from validation.release.tables import PARQUET, Table

_OWN = (
    *("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field"),
    *("fileObject", "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset"),
    *("jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "description": {"@container": "@language"},
    **{word: f"cr:{word}" for word in _OWN},
}
_CONFORMS = "http://mlcommons.org/croissant/1.1"


def render_croissant(
    manifest: Mapping[str, Any],
    layout: Layout,
    description: str,
    tables: Sequence[Table],
    *,
    begun: dt.datetime,
) -> bytes:
    """Return the description of a release as JSON-LD. `description` is in plain words.

    begun: when the project was made, the date of a release without work. Address and creators are
    left to whoever publishes it.
    """
    project, file = manifest["project"], manifest["file"]
    named = [project["slug"], *([manifest["split"]] if manifest["split"] else []), layout.key]
    newest = manifest["newest_work"]
    worked = {"dateModified": newest} if newest else {}
    moment = dt.datetime.fromisoformat(newest) if newest else begun
    day = moment.astimezone(dt.UTC).date()
    version = _version(day, manifest["sha256"])
    return indent_json(
        {
            "@context": _CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": _CONFORMS,
            "name": "-".join(named),
            "alternateName": project["title"],
            "description": description,
            "citeAs": _citation(manifest, layout, day, version),
            "license": manifest["licence"],
            "inLanguage": manifest["snapshot"]["language"],
            "version": version,
            "datePublished": day.isoformat(),
            **worked,
            "distribution": [
                _file_object(file, _media_of(layout), manifest["bytes"], manifest["sha256"]),
                *(
                    _file_object(f"{file}{table.ending}", table.media, table.bytes, table.sha256)
                    for table in tables
                ),
            ],
            "recordSet": [_record_set(file, layout, table) for table in tables],
        }
    )


def _media_of(layout: Layout) -> str:
    """Return what the vocabulary calls the file; it has a word of its own for JSON by lines."""
    return "application/jsonlines" if layout.content_type == JSON_LINES else layout.content_type


def _version(day: dt.date, sha256: str) -> str:
    """Return a semantic version: the day of the newest work, and a build for the data's bytes."""
    return f"{day.year}.{day.month}.{day.day}+{sha256[:12]}"


def _citation(manifest: Mapping[str, Any], layout: Layout, day: dt.date, version: str) -> str:
    """Return how to cite a release whose authors are not known here."""
    made_with = manifest["software"]
    return (
        f"{manifest['project']['title']} ({day.year}). {layout.label}, version {version}. "
        f"Collected with {made_with['name']} {made_with['version']}."
    )


def _file_object(name: str, media: str, size: int, sha256: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{size} B",
        "encodingFormat": media,
        "sha256": sha256,
    }


def _record_set(file: str, layout: Layout, table: Table) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.split,
        "name": table.split,
        "description": f"The questions of the split {table.split}, one record for each.",
        "key": {"@id": f"{table.split}/id"},
        "field": [field for column in layout.columns for field in _fields(column, file, table)],
    }


def _fields(column: Column, file: str, table: Table) -> Iterator[dict[str, Any]]:
    key = f"{table.split}/{column.name}"
    if table.media.endswith(PARQUET):
        extract = {"column": column.name}
    else:
        extract = {"jsonPath": f"$[*].{column.name}"}
    source = {"fileObject": {"@id": f"{file}{table.ending}"}, "extract": extract}
    if not column.parts:
        yield _field(column, key, source)
        return
    parts = [
        _field(part, f"{key}/{part.name}", source | {"transform": {"jsonPath": part.name}})
        for part in column.parts
    ]
    array = {"isArray": True, "arrayShape": "-1", "source": source, "subField": parts}
    yield _named(column, key) | array


def _field(column: Column, key: str, source: Mapping[str, Any]) -> dict[str, Any]:
    array: dict[str, Any] = {}
    if column.lists:
        array = {"isArray": True, "arrayShape": ",".join(["-1"] * column.lists)}
    return _named(column, key) | {"dataType": "sc:Text"} | array | {"source": source}


def _named(column: Column, key: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": key,
        "name": column.name,
        "description": column.holds,
    }
