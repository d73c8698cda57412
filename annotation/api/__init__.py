"""The API under /api/v1/: translates JSON in, makes one call into a service, translates out."""
