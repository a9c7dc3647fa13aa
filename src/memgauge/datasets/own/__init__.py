"""A folder of data: the form in which worlds are written and one's own chats are read."""
