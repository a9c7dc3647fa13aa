"""MemOS of MemTensor: general textual memory."""
