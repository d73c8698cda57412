"""URLs of models."""

from django.urls import path

from modeling import views

urlpatterns = [
    path("projects/<slug:slug>/systems/run/", views.system_run, name="system-run"),
]
