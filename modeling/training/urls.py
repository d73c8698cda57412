"""Addresses of training sets and trainings."""

from django.urls import path

from modeling.training import api, views

_API = "api/v1/projects/<slug:slug>/training-set"
urlpatterns = [
    path(f"{_API}/", api.TrainingSetDownload.as_view(), name="api-training-set"),
    path(f"{_API}/zip/", api.TrainingSetBundle.as_view(), name="api-training-set-zip"),
    path("api/v1/projects/<slug:slug>/trainings/", api.Trainings.as_view(), name="api-trainings"),
    path(
        "api/v1/projects/<slug:slug>/trainings/<int:job_id>/curve.<str:form>",
        api.TrainingCurve.as_view(),
        name="api-training-curve",
    ),
    path("projects/<slug:slug>/systems/train/", views.train_weights, name="train"),
    path("projects/<slug:slug>/systems/training-set/", views.training_set, name="training-set"),
]
