"""Accounts in the Django admin, which is entered through the same sign-in as everything.

It is for the last resort: people are administered in Ambit's own pages, where every press is in the
audit. What nothing else does is left: an address or a name is corrected here, and the account of an
institution taken away.
"""

from typing import Any

from allauth.account import admin as _addresses  # these register what is registered anew below
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa import admin as _factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount import admin as _institutions
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth import admin as _groups
from django.contrib.auth.models import Group
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from knox import admin as _tokens
from knox.models import AuthToken

from accounts.models import User

# The admin's own form would bypass the rate limits.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = "Ambit: rows of the database"
admin.site.site_title = "Ambit"
admin.site.index_title = "Rows of the database, for the last resort"
admin.site.unregister(Group)  # of which Ambit has no use


@admin.register(User)
class UserAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """People by e-mail address, with how many roles they hold. Only name and address can change."""

    ordering = ("name", "id")
    list_display = ("email", "name", "role_count", "is_staff", "is_active", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "memberships__role")
    search_fields = ("email", "name", "key")
    readonly_fields = (
        *("single_keys", "keys", "is_active", "is_staff", "is_superuser"),
        *("key", "last_login", "date_joined", "more"),
    )
    fieldsets = (
        (None, {"fields": ("email", "name", "more")}),
        ("Preferences", {"fields": ("single_keys", "keys")}),
        ("Rights in the installation", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("Facts", {"fields": ("key", "last_login", "date_joined")}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        people: QuerySet[User] = super().get_queryset(request)
        return people.annotate(roles=Count("memberships", distinct=True))

    @admin.display(description="Roles", ordering="roles")
    def role_count(self, user: User) -> int:
        return user.roles  # type: ignore[attr-defined, no-any-return]

    @admin.display(description="Everything else")
    def more(self, user: User) -> str:
        """Link to the person's page in the administration."""
        if user.erased_at:
            return f"Erased on {user.erased_at:%d %B %Y}"
        address = reverse("administration-person", args=[user.pk])
        return format_html('<a href="{}">The page of this person</a>', address)


# An institution is set by the environment, and a table of keys would only be another way in. An
# address of sign-in changes with that of the account.
for model in (Authenticator, AuthToken, SocialAccount, SocialApp, SocialToken, EmailAddress):
    admin.site.unregister(model)
assert all((_addresses, _factors, _groups, _institutions, _tokens))


class WayInAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Ways into other people's accounts: seen here, never made. No secret is shown."""

    list_select_related = ("user",)
    search_fields = ("user__email",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Authenticator)
class AuthenticatorAdmin(WayInAdmin):
    """Second factors."""

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

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super(WayInAdmin, self).has_delete_permission(request, obj)
