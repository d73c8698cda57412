"""Addresses of the FAQ of a project, and of guidelines and FAQ beside work."""

from django.urls import path

from annotation.faq import views

project_urls = [
    path("projects/<slug:slug>/faq/", views.project_faq, name="project-faq"),
    path("projects/<slug:slug>/faq/<int:entry_id>/", views.faq_change, name="faq-change"),
    path("projects/<slug:slug>/faq/<int:entry_id>/move/", views.faq_move, name="faq-move"),
    path("projects/<slug:slug>/faq/<int:entry_id>/remove/", views.faq_remove, name="faq-remove"),
]
# With the addresses of the work itself, as often asked for as they.
guidelines_urls = [
    path("work/<int:assignment_id>/guidelines/", views.work_guidelines, name="work-guidelines")
]
work_urls = [path("work/<int:assignment_id>/faq/", views.work_faq, name="work-faq")]
