"""Addresses of samples and their labels."""

from django.urls import path

from evaluation.labelling import item_page, views
from evaluation.labelling.api import LabelledSample, LabelSamples

_LABELS = "projects/<slug:slug>/labels"

urlpatterns = [
    path("projects/<slug:slug>/ambiguity/", views.ambiguity_sample, name="ambiguity-sample"),
    path(
        "projects/<slug:slug>/ambiguity/<int:position>/",
        item_page.ambiguity_label,
        name="ambiguity-label",
    ),
    path(f"{_LABELS}/", views.label_list, name="label-list"),
    path(f"{_LABELS}/scheme/", views.label_scheme, name="label-scheme"),
    path(f"{_LABELS}/new/<slug:key>/", views.label_new, name="label-new"),
    path(f"{_LABELS}/<int:sample_id>/", views.label_sample, name="label-sample"),
    path(f"{_LABELS}/<int:sample_id>/labels.jsonl", views.label_file, name="label-file"),
    path(f"{_LABELS}/<int:sample_id>/delete/", views.label_delete, name="label-delete"),
    path(f"{_LABELS}/<int:sample_id>/<int:position>/", item_page.label_item, name="label-item"),
    path(f"api/v1/{_LABELS}/", LabelSamples.as_view(), name="api-labels"),
    path(f"api/v1/{_LABELS}/<int:sample_id>/", LabelledSample.as_view(), name="api-label-sample"),
]
