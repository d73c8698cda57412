"""The address at which a person is erased."""

from django.urls import path

from annotation.erasing import views

urlpatterns = [path("people/<int:user_id>/erase/", views.person_erase, name="person-erase")]
