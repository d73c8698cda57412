"""The addresses of the API under `/api/v1/`, and the page that describes them."""
