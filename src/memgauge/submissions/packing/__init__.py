"""Packing: runs of one system become a submission, with all that can be read off them, and without their texts."""
