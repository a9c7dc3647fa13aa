"""LangMem: a model that keeps memories in LangGraph's store."""
