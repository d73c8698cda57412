"""Addresses of studies: the list, and below it those of one study."""

from django.urls import path

from evaluation.studies import views

list_urls = [
    path("", views.study_list, name="study-list"),
    path("new/", views.study_new, name="study-new"),
    path("deleted/<int:deleted_id>/", views.study_restore, name="study-restore"),
]
study_urls = [
    path("<int:study_id>/", views.study_view, name="study-view"),
    path("<int:study_id>/sample/", views.study_sample, name="study-sample"),
    path("<int:study_id>/close/", views.study_close, name="study-close"),
    path("<int:study_id>/delete/", views.study_delete, name="study-delete"),
]
