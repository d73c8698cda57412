"""Reading what the official scorers read: one module per task, with sentences for bad files."""
