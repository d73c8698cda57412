"""Reports for the people who run a project: panels, computed by a job and shown with their age."""
