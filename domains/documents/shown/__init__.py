"""What the suite alone shows of `documents`: variants, published mistakes, measurements. A copy leaves it out."""
