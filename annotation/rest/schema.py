"""What the schema of the API says of every operation: what it is about, what it does in one
sentence, and the refusals it may answer with.
"""

from typing import Any

_DETAIL = {"$ref": "#/components/schemas/Refusal"}
_SENTENCES = {"type": "array", "items": {"type": "string"}}
_PROBLEMS = {
    "type": "object",
    "description": "What is wrong, by parameter or field; `detail` if it is about the whole "
    "request. For a list of entries, by their place in it, from 0.",
    "additionalProperties": {
        "oneOf": [
            {"type": "string"},
            _SENTENCES,
            {"type": "object", "additionalProperties": _SENTENCES},
        ]
    },
}
# status: what it means, and the schema of its body
EVERYWHERE: dict[str, tuple[str, dict[str, Any]]] = {
    "400": ("A parameter or field is wrong.", _PROBLEMS),
    "401": ("Sign in, or send a token.", _DETAIL),
    "403": ("You may not do this; `detail` says why.", _DETAIL),
    "404": ("Not found, or you do not have access to it.", _DETAIL),
    "405": ("The method is not allowed here.", _DETAIL),
    "406": ("The content type you accept is not offered here.", _DETAIL),
    "415": ("The content type or encoding of the request is not supported.", _DETAIL),
    "429": ("Too many requests; `Retry-After` says when to try again.", _DETAIL),
}


def add_summaries(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Give each operation the noun it is about as its tag, and the first sentence of what it does.

    The noun is the first of the address below a project: all of them are below one.
    """
    for path, operations in result["paths"].items():
        parts = path.removeprefix("/api/v1/").split("/")
        nouns = [part for part in parts if part and not part.startswith("{")]
        noun = nouns[1] if nouns[0] == "projects" and len(nouns) > 1 else nouns[0]
        for operation in operations.values():
            operation["tags"] = [noun]
            first = " ".join(operation.get("description", "").split("\n\n")[0].split())
            operation["summary"] = first.partition(". ")[0].removesuffix(".")
    return result


def add_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Give each operation the refusals that any may answer with."""
    for path in result["paths"].values():
        for operation in path.values():
            for status, (description, schema) in EVERYWHERE.items():
                operation["responses"].setdefault(
                    status,
                    {
                        "description": description,
                        "content": {"application/json": {"schema": schema}},
                    },
                )
    return result
