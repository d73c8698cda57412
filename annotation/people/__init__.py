"""Members of a project, their roles, invitations and pauses, and administrators."""
