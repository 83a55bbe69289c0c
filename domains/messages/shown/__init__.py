"""What the suite alone shows of `messages`: variants, published mistakes, measurements. A copy leaves it out."""
