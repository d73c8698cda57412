"""The audit of the installation: who did what to accounts, roles, settings and data."""
