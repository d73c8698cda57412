"""Training: from what is accepted in a project to examples, to files of them, and to weights."""
