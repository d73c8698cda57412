"""Every operation of the API, and the shapes that it takes and gives, as Markdown.

Made from the OpenAPI schema that /api/v1/schema/ gives.
"""

from itertools import groupby
from typing import Any

from drf_spectacular.generators import SchemaGenerator

Schema = dict[str, Any]
METHODS = ("get", "post", "put", "patch", "delete")


def _cell(text: object) -> str:
    return " ".join(str(text).replace("|", r"\|").split())


def _describe_type(schema: Schema) -> str:
    """Return the type of a value in a few words, with a link where it has a name."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for word in ("oneOf", "anyOf", "allOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(_describe_type(each) for each in schema[word]))
    if "enum" in schema:
        values = [f"`{each}`" for each in schema["enum"] if each not in ("", None)]
        return "one of " + ", ".join(values) if values else "empty or null"
    if schema.get("type") == "array":
        return f"list of {_describe_type(schema.get('items', {}))}"
    kind = schema.get("type", "any value")
    words = " or ".join(kind) if isinstance(kind, list) else kind
    return f"{words} ({schema['format']})" if "format" in schema else words


def _list_fields(schema: Schema) -> str:
    """Return a table of the fields of an object, empty where it names none."""
    required = schema.get("required", [])
    rows = [
        f"| `{name}` | {_cell(_describe_type(each))} | {'yes' if name in required else ''} "
        f"| {_cell(each.get('description', ''))} |\n"
        for name, each in schema.get("properties", {}).items()
    ]
    head = "\n| field | type | required | |\n| --- | --- | --- | --- |\n"
    return head + "".join(rows) if rows else ""


def _list_parameters(operation: Schema) -> str:
    rows = [
        f"| `{each['name']}` | {each['in']} | {_cell(_describe_type(each['schema']))} "
        f"| {_cell(each.get('description', ''))} |\n"
        for each in operation.get("parameters", [])
        if each["in"] != "path"
    ]
    head = "\n| parameter | in | type | |\n| --- | --- | --- | --- |\n"
    return head + "".join(rows) if rows else ""


def _list_contents(part: Schema) -> str:
    shapes = [_describe_type(each.get("schema", {})) for each in part.get("content", {}).values()]
    return " or ".join(dict.fromkeys(shapes))


def _describe_operation(path: str, method: str, operation: Schema) -> str:
    lines = [f"\n### {method.upper()} {path}\n", f"{operation.get('description', '')}\n"]
    if "requestBody" in operation:
        lines.append(f"Body: {_list_contents(operation['requestBody'])}.\n")
    for status, reply in operation["responses"].items():
        if status.startswith("2"):
            shape = _list_contents(reply)
            told = ": ".join(filter(None, [status, shape or reply.get("description", "")]))
            lines.append(f"Answer {told.rstrip('.')}.\n")
    return "\n".join(lines) + _list_parameters(operation)


def describe_operations() -> str:
    """Return the operations by their subject, then the shapes that they name.

    Refusals (4xx) are the same everywhere; the page says so above.
    """
    schema = SchemaGenerator().get_schema(request=None, public=True)
    operations = sorted(
        (operation["tags"][0], path, METHODS.index(method), method, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    )
    parts = []
    for subject, group in groupby(operations, key=lambda each: each[0]):
        parts.append(f"\n## {subject.capitalize().replace('-', ' ')}\n")
        parts += [_describe_operation(path, method, each) for _, path, _, method, each in group]
    parts.append("\n## Shapes\n")
    for name, shape in schema["components"]["schemas"].items():
        parts += [f"\n### {name}\n", f"{shape.get('description', '')}\n", _list_fields(shape)]
        if "properties" not in shape:
            parts.append(f"{_describe_type(shape)}\n")
    return "\n".join(parts)
