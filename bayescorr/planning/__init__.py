"""How many topics: predictions for other topic sets, and generalizability theory."""
