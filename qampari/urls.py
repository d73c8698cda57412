from django.urls import path

from qampari import views

urlpatterns = [
    path("projects/<slug:slug>/extended-set/", views.extended_set_draw, name="extended-set-draw"),
]
