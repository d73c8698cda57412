"""Addresses of rehearsals, below those of studies."""

from django.urls import path

from evaluation.rehearsals import views

study_urls = [
    path("try/", views.study_try, name="study-try"),
    path("try/leave/", views.study_try_leave, name="study-try-leave"),
    path("try/<int:number>/", views.study_try_item, name="study-try-item"),
    path("try/<int:number>/draft/", views.study_try_draft, name="study-try-draft"),
    path("try/<int:number>/search/", views.study_try_search, name="study-try-search"),
    path("try/<int:number>/read/<path:path>", views.study_try_read, name="study-try-read"),
    path("try/<int:number>/submit/", views.study_try_submit, name="study-try-submit"),
]
