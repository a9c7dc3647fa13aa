"""PrecisionMemBench: beliefs of a user, and cases that say which of them, and no others, a question calls for."""
