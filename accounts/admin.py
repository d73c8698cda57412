"""Accounts in the Django admin, which is entered through the same sign-in as everything."""

from typing import Any

from allauth.account import admin as _addresses  # these register what is registered anew below
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa import admin as _factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount import admin as _institutions
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from knox import admin as _tokens
from knox.models import AuthToken

from accounts.models import User

# The admin's own form would bypass the rate limits.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = "Ambit administration"
admin.site.site_title = "Ambit"
admin.site.index_title = "Rows"


class UserCreationForm(AdminUserCreationForm):  # type: ignore[type-arg]
    """Make an account by hand; the usual way is an invitation."""

    class Meta:
        model = User
        fields = ("email", "name")


@admin.register(User)
class UserAdmin(DjangoUserAdmin):  # type: ignore[type-arg]
    """People by e-mail address, with how many roles they hold."""

    add_form = UserCreationForm
    ordering = ("name", "id")
    list_display = ("email", "name", "role_count", "is_staff", "is_active", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "memberships__role")
    search_fields = ("email", "name", "key")
    readonly_fields = ("key", "last_login", "date_joined", "erase")
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("Preferences", {"fields": ("single_keys", "keys")}),
        (
            "Rights in the installation",
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        ("Facts", {"fields": ("key", "last_login", "date_joined", "erase")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("email", "name", "usable_password", "password1", "password2"),
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        people: QuerySet[User] = super().get_queryset(request)
        return people.annotate(roles=Count("memberships", distinct=True))

    @admin.display(description="Roles", ordering="roles")
    def role_count(self, user: User) -> int:
        return user.roles  # type: ignore[attr-defined, no-any-return]

    @admin.display(description="Erase")
    def erase(self, user: User) -> str:
        """Link to the page that erases the person, or say when that was done."""
        if user.erased_at:
            return f"Erased on {user.erased_at:%d %B %Y}"
        return format_html(
            '<a href="{}">Erase this person…</a>', reverse("person-erase", args=[user.pk])
        )


# An institution is set by the environment, and a table of keys would only be another way in. An
# address of sign-in changes with that of the account.
for model in (Authenticator, AuthToken, SocialAccount, SocialApp, SocialToken, EmailAddress):
    admin.site.unregister(model)
assert all((_addresses, _factors, _institutions, _tokens))


class WayInAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Ways into other people's accounts: seen and deleted here, never made. No secret is shown."""

    list_select_related = ("user",)
    search_fields = ("user__email",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Authenticator)
class AuthenticatorAdmin(WayInAdmin):
    """Second factors: whoever has lost theirs is let in again by deleting it here."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    fields = readonly_fields = ("user", "type", "created_at", "last_used_at")


@admin.register(AuthToken)
class AuthTokenAdmin(WayInAdmin):
    """API tokens, which their owners make on the page of their account."""

    list_display = ("token_key", "user", "created", "expiry")
    fields = readonly_fields = ("token_key", "user", "created", "expiry")


@admin.register(SocialAccount)
class SocialAccountAdmin(WayInAdmin):
    """Accounts at the institution: whoever has a new one there comes in once this is deleted."""

    list_display = ("user", "date_joined", "last_login")
    fields = readonly_fields = ("user", "date_joined", "last_login")
