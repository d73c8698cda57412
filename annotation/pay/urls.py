"""URLs of pay: one's own, a project's, and every project's one runs."""

from django.urls import path

from annotation.pay import views as pay

urlpatterns = [
    path("pay/", pay.pay_mine, name="pay-mine"),
    path("pay/export/", pay.pay_mine_export, name="pay-mine-export"),
    path("pay/projects/", pay.pay_projects, name="pay-projects"),
    path("projects/<slug:slug>/pay/", pay.project_pay, name="project-pay"),
    path("projects/<slug:slug>/pay/export/", pay.project_pay_export, name="project-pay-export"),
    path("projects/<slug:slug>/pay/<int:user_id>/", pay.pay_person, name="pay-person"),
    path("projects/<slug:slug>/pay/<int:user_id>/enter/", pay.pay_enter, name="pay-enter"),
]
