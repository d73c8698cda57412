"""Addresses of consent: a person's own, and a project's."""

from django.urls import path

from annotation.consent import views

urlpatterns = [
    path("data/", views.consent_mine, name="consent-mine"),
    path("data/<slug:slug>/withdraw/", views.consent_withdraw, name="consent-withdraw"),
    path("data/<slug:slug>/training/", views.consent_training, name="consent-training"),
    path("data/<slug:slug>/about/", views.consent_background, name="consent-background"),
    path("projects/<slug:slug>/agree/", views.consent_give, name="consent-give"),
    path("projects/<slug:slug>/consent/", views.project_consent, name="project-consent"),
    path(
        "projects/<slug:slug>/consent/file/",
        views.project_consent_file,
        name="project-consent-file",
    ),
    path(
        "projects/<slug:slug>/consent/shares/",
        views.project_consent_shares,
        name="project-consent-shares",
    ),
]
