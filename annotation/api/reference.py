"""The page of the API for people, made from the same schema that machines read."""

from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "post", "put", "patch", "delete")


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters and answers."""
    return render(request, "annotation/api_reference.html", {"operations": operations()})


@lru_cache(maxsize=1)
def operations() -> list[dict[str, Any]]:
    """Return the operations in the schema's order."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return [
        _operation(path, method, operation_schemas[method])
        for path, operation_schemas in schema["paths"].items()
        for method in METHODS
        if method in operation_schemas
    ]


def _operation(path: str, method: str, found: dict[str, Any]) -> dict[str, Any]:
    body = found.get("requestBody", {})
    return {
        "id": found["operationId"],
        "method": method.upper(),
        "path": path,
        "description": found.get("description", ""),
        "body": ", ".join(body.get("content", {})),
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
                "description": answer.get("description", ""),
                "types": ", ".join(answer.get("content", {})),
            }
            for status, answer in found["responses"].items()
        ],
    }
