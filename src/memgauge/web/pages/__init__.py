"""One module a page: a function from the library and an address to what the page shows."""
