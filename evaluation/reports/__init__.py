"""The reports for the people who run a project, and what computes their panels."""
