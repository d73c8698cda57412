"""Queries that join or count several kinds of rows."""
