"""Accounts: found, let in again, signed out, deactivated, made administrators."""
