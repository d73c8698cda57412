"""The pages of systems, studies and their results."""
