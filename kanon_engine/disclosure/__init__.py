"""What released numbers reveal together: counts that follow from others, and releases of the same items."""
