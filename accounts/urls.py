"""URLs of sign-in and of one's own account. Of allauth's pages only those listed here are
routed: Ambit does not need several addresses, codes or open sign-up."""

from allauth.account import views as allauth_views
from django.urls import path, re_path

from accounts import views

urlpatterns = [
    path("login/", views.SignInView.as_view(), name="account_login"),
    path("logout/", allauth_views.logout, name="account_logout"),
    path("inactive/", allauth_views.account_inactive, name="account_inactive"),
    path("signup/", views.SignupClosedView.as_view(), name="account_signup"),
    path("password/change/", views.PasswordChangeView.as_view(), name="account_change_password"),
    path("password/reset/", views.PasswordResetView.as_view(), name="account_reset_password"),
    path(
        "password/reset/done/",
        allauth_views.password_reset_done,
        name="account_reset_password_done",
    ),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.PasswordResetFromKeyView.as_view(),
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/key/done/",
        allauth_views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("settings/", views.account_settings, name="account-settings"),
    path("shortcuts/", views.account_shortcuts, name="account-shortcuts"),
    path("tokens/", views.token_create, name="token-create"),
    path("tokens/<slug:key>/revoke/", views.token_revoke, name="token-revoke"),
]
