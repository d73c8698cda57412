"""Addresses of the programs that are told of a project's work."""

from django.urls import path

from annotation.webhooks import views

urlpatterns = [
    path("projects/<slug:slug>/webhooks/", views.webhook_list, name="webhook-list"),
    path(
        "projects/<slug:slug>/webhooks/<int:webhook_id>/stop/",
        views.webhook_stop,
        name="webhook-stop",
    ),
    path(
        "projects/<slug:slug>/webhooks/<int:webhook_id>/test/",
        views.webhook_test,
        name="webhook-test",
    ),
]
