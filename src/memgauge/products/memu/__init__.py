"""memU: items of a memory in RAM, as they were said or as its model reads them."""
