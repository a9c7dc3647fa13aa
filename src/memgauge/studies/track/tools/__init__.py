"""What an agent can call, and the faces under which outside clients call it."""
