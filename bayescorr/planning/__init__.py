"""How many topics: predictions for new and extended topic sets, and generalizability theory."""
