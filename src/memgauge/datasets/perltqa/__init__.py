"""PerLTQA: invented people with profiles, relationships, events and dialogues; labels name memories."""
