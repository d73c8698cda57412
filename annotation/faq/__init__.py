"""Questions and answers of the team that writers see beside their work."""
