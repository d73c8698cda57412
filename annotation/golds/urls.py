"""URLs of gold items."""

from django.urls import path

from annotation.golds import views as golds

urlpatterns = [
    path("projects/<slug:slug>/golds/", golds.project_golds, name="project-golds"),
    path("projects/<slug:slug>/golds/<int:user_id>/", golds.gold_person, name="gold-person"),
    path("projects/<slug:slug>/golds/items/<int:item_id>/", golds.gold_item, name="gold-item"),
]
