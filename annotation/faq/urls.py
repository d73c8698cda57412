"""Addresses of the FAQ of a project, and of the one beside work."""

from django.urls import path

from annotation.faq import views

project_urls = [
    path("projects/<slug:slug>/faq/", views.project_faq, name="project-faq"),
    path("projects/<slug:slug>/faq/<int:entry_id>/", views.faq_change, name="faq-change"),
    path("projects/<slug:slug>/faq/<int:entry_id>/move/", views.faq_move, name="faq-move"),
    path("projects/<slug:slug>/faq/<int:entry_id>/remove/", views.faq_remove, name="faq-remove"),
]
work_urls = [path("work/<int:assignment_id>/faq/", views.work_faq, name="work-faq")]
