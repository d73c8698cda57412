"""URLs of sign-in and of one's own account. Of allauth's pages only those listed here are
routed: Ambit does not need several addresses, codes or open sign-up."""

from allauth.account import views as allauth_views
from django.urls import path, re_path

from accounts import factors, institution, views

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
    path("reauthenticate/", factors.PasswordAgainView.as_view(), name="account_reauthenticate"),
    # --- second factors ------------------------------------------------------------------------
    path("factors/", factors.factor_list, name="mfa_index"),
    path("factors/keys/", factors.to_list, name="mfa_list_webauthn"),
    path("factors/sign-in/", factors.FactorView.as_view(), name="mfa_authenticate"),
    path("factors/again/", factors.CodeAgainView.as_view(), name="mfa_reauthenticate"),
    path("factors/again/key/", factors.key_again, name="mfa_reauthenticate_webauthn"),
    path("factors/app/add/", factors.AddAppView.as_view(), name="mfa_activate_totp"),
    path("factors/app/remove/", factors.RemoveAppView.as_view(), name="mfa_deactivate_totp"),
    path("factors/codes/", factors.code_list, name="mfa_view_recovery_codes"),
    path("factors/codes/new/", factors.new_codes, name="mfa_generate_recovery_codes"),
    path("factors/keys/add/", factors.AddKeyView.as_view(), name="mfa_add_webauthn"),
    path("factors/keys/<int:pk>/remove/", factors.remove_key, name="mfa_remove_webauthn"),
    # --- sign-in at an institution -------------------------------------------------------------
    path(
        "oidc/cancelled/", institution.show_cancelled_sign_in, name="socialaccount_login_cancelled"
    ),
    path(
        "oidc/<slug:provider_id>/sign-in/",
        institution.to_institution,
        name="openid_connect_login",
    ),
    path(
        "oidc/<slug:provider_id>/back/",
        institution.from_institution,
        name="openid_connect_callback",
    ),
    path("data/", views.about_data, name="about-data"),
    path("settings/", views.account_settings, name="account-settings"),
    path("shortcuts/", views.account_shortcuts, name="account-shortcuts"),
    path("tokens/", views.token_create, name="token-create"),
    path("tokens/<slug:key>/revoke/", views.token_revoke, name="token-revoke"),
]
