"""Snapshots, pages as they were shown, and quotes in the Django admin."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Field, Model, URLField
from django.http import HttpRequest

from wikipedia.models import Quote, ShownPage, Snapshot, WikiHost

HTTPS: dict[type[Field[Any, Any]], dict[str, str]] = {URLField: {"assume_scheme": "https"}}


@admin.register(Snapshot)
class SnapshotAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Fields written by the index command are read-only; texts for people can be changed."""

    formfield_overrides = HTTPS
    list_display = ("title", "name", "kind", "state", "as_of", "articles", "passages")
    list_filter = ("kind", "state", "language")
    search_fields = ("title", "name", "address")
    readonly_fields = ("name", "kind", "state", "problem", "articles", "passages", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


class Provenance(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that answers refer to; read-only."""

    formfield_overrides = HTTPS
    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(ShownPage)
class ShownPageAdmin(Provenance):
    list_display = ("title", "path", "snapshot", "rev_id", "retrieved_at")
    list_filter = ("snapshot",)
    search_fields = ("title", "=path", "=text_sha256")
    list_select_related = ("snapshot",)


@admin.register(Quote)
class QuoteAdmin(Provenance):
    list_display = ("exact", "page", "block_kind", "made_by", "created_by", "created_at")
    list_filter = ("made_by", "block_kind", "page__snapshot")
    search_fields = ("exact", "page__title", "created_by__email")
    list_select_related = ("page", "created_by")


@admin.register(WikiHost)
class WikiHostAdmin(Provenance):
    """Live wikis that asked to be left alone. Deleting a row asks them again at once."""

    list_display = ("host", "paused_until", "failures")
    search_fields = ("host",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(super(Provenance, self).has_delete_permission(request, obj))
