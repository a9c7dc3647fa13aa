"""ConvoMem: test cases of many chats, whose evidence is the text of messages."""
