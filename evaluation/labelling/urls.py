"""Addresses of the labels of ambiguity."""

from django.urls import path

from evaluation.labelling import views

urlpatterns = [
    path("projects/<slug:slug>/ambiguity/", views.ambiguity_sample, name="ambiguity-sample"),
    path(
        "projects/<slug:slug>/ambiguity/<int:position>/",
        views.ambiguity_label,
        name="ambiguity-label",
    ),
]
