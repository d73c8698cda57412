"""The kind of job that makes a backup."""

BACKUP = "backup"
