"""The demo's own small encyclopedia: articles, pictures, and the archive built from them."""
