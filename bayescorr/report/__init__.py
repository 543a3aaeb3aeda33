"""What users take away: tables, plots, files."""
