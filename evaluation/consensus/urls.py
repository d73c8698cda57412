"""Addresses of what experts agree on, below those of studies."""

from django.urls import path

from evaluation.consensus import views

study_urls = [
    path("consensus/", views.consensus_list, name="consensus-list"),
    path("consensus/<int:item_id>/", views.consensus_item, name="consensus-item"),
]
