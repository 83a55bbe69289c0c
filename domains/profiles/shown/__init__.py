"""What the suite alone shows of `profiles`: variants, published mistakes, measurements. A copy leaves it out."""
