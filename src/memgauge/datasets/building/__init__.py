"""A dataset made from one's own chats: read, scrubbed, labelled by somebody, assembled."""
