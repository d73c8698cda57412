"""The page of the API for people, made from the same schema that machines read."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from annotation.rest.schema import EVERYWHERE

_CODE = re.compile(r"`([^`]+)`")
METHODS = ("get", "post", "put", "patch", "delete")


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters and answers, after a list of them all."""
    context = {"groups": group_operations(), "refusals": list_refusals()}
    return render(request, "annotation/api/api_reference.html", context)


@require_safe
def api_try(request: HttpRequest) -> HttpResponse:
    """Swagger UI, which sends requests as the person who is signed in."""
    return render(request, "annotation/api/api_try.html")


@lru_cache(maxsize=1)
def group_operations() -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the operations by what they are about, those of projects and of work first."""
    groups: dict[str, list[dict[str, Any]]] = {"projects": [], "work": []}
    for operation in list_operations():
        groups.setdefault(operation["group"], []).append(operation)
    return [(name.replace("-", " ").capitalize(), group) for name, group in groups.items()]


def list_refusals() -> list[tuple[str, SafeString]]:
    """Return what any operation may refuse with: a status and its meaning."""
    return [(status, _marked(meaning)) for status, (meaning, _) in EVERYWHERE.items()]


def list_operations() -> list[dict[str, Any]]:
    """Return the operations in the schema's order."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    parts = schema["components"]["schemas"]
    return [
        _operation(path, method, operation_schemas[method], parts)
        for path, operation_schemas in schema["paths"].items()
        for method in METHODS
        if method in operation_schemas
    ]


def _operation(
    path: str, method: str, found: dict[str, Any], parts: dict[str, Any]
) -> dict[str, Any]:
    body = found.get("requestBody", {})
    return {
        "id": found["operationId"],
        "group": found["tags"][0],
        "summary": _marked(found["summary"]),
        "method": method.upper(),
        "path": path,
        "paragraphs": _paragraphs(found.get("description", "")),
        "body": ", ".join(body.get("content", {})),
        "fields": _content_fields(body, parts),
        "parameters": [
            {
                "name": parameter["name"],
                "place": parameter["in"],
                "required": parameter.get("required", False),
                "values": ", ".join(map(str, parameter.get("schema", {}).get("enum", []))),
                "type": parameter.get("schema", {}).get("type", ""),
                "description": parameter.get("description", ""),
            }
            for parameter in found.get("parameters", [])
        ],
        "responses": [
            {
                "status": status,
                "description": _marked(answer.get("description", "")),
                "types": ", ".join(answer.get("content", {})),
                "fields": _content_fields(answer, parts) if status.startswith("2") else [],
            }
            for status, answer in found["responses"].items()
            if (status, answer.get("description")) not in _REFUSALS
        ],
    }


def _paragraphs(text: str) -> list[SafeString]:
    """Return a docstring's paragraphs, each in one line."""
    return [_marked(" ".join(part.split())) for part in text.split("\n\n") if part.strip()]


def _marked(text: str) -> SafeString:
    """Return text as HTML, with `code` as such."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", escape(text)))  # noqa: S308


def _content_fields(content: dict[str, Any], parts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of a body or an answer in JSON, those of its parts after them."""
    kinds = content.get("content", {})
    kind: Any = kinds.get("application/json") or next(iter(kinds.values()), {})
    return list(_fields(kind.get("schema", {}), parts))


def _fields(
    schema: dict[str, Any], parts: dict[str, Any], before: str = ""
) -> Iterator[dict[str, Any]]:
    schema = _resolved(schema, parts)
    if schema.get("type") == "array":
        yield from _fields(schema["items"], parts, f"{before}[]." if before else "[].")
        return
    for name, field in schema.get("properties", {}).items():
        inner = _resolved(field, parts)
        yield {
            "name": before + name,
            "required": name in schema.get("required", []),
            "type": _type(inner, parts),
            "description": inner.get("description", ""),
        }
        if before.count(".") < _DEEPEST:
            part = inner.get("items", inner)
            mark = "[]" if "items" in inner else ""
            yield from _fields(part, parts, f"{before}{name}{mark}.")


_DEEPEST = 2
_REFUSALS = {(status, meaning) for status, (meaning, _) in EVERYWHERE.items()}


def _resolved(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that a reference leads to, with what is said beside it."""
    reference = schema.get("$ref") or next((s.get("$ref") for s in schema.get("allOf", [])), None)
    if reference is None:
        return schema
    beside = {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}
    return _resolved(parts[reference.rpartition("/")[2]], parts) | beside


def _type(schema: dict[str, Any], parts: dict[str, Any]) -> str:
    """Return a field's type in words: its values where it is one of some."""
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {_type(_resolved(schema['items'], parts), parts)}"
    words = " or ".join(
        _type(_resolved(one, parts), parts) for one in schema.get("oneOf", schema.get("anyOf", []))
    )
    return words or str(schema.get("format") or schema.get("type") or "any value")
