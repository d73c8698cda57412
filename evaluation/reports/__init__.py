"""The reports of every protocol, for the people who run a project, and what computes their panels."""
