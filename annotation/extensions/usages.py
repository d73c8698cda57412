"""What uses the rows of a room, asked of the rooms above that use them."""

from collections.abc import Collection

from django.db.models import Model

from annotation.extensions.parts import RowUse
from annotation.extensions.registry import all_extensions


def list_uses(model: type[Model], rows: Collection[int], kind: str = "") -> list[RowUse]:
    """Return the uses of rows, by id, the oldest first. One query for each room that has some.

    kind: of uses, "" for all.
    """
    usages = [
        usage
        for usage in all_extensions().usages
        if usage.model is model and kind in ("", usage.kind)
    ]
    return [use for usage in usages for use in usage.uses(rows)]
