"""Addresses of feedback: of the team that gives it, and of the person who reads it."""

from django.urls import path

from annotation.feedback import views

project_urls = [
    path(
        "projects/<slug:slug>/turns/<int:assignment_id>/feedback/",
        views.feedback_give,
        name="feedback-give",
    ),
    path(
        "projects/<slug:slug>/feedback/<int:feedback_id>/take-back/",
        views.feedback_take_back,
        name="feedback-take-back",
    ),
]
work_urls = [
    path("work/<int:assignment_id>/feedback/", views.feedback_read, name="feedback-read"),
]
