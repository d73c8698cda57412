"""Who may do what on this floor."""
