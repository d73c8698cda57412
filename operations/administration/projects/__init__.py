"""All projects: how large, when last used; archived and reopened, and deleted while empty."""
