"""The story of a package that is made of a variant: its samples and questions, because a variant may refuse others."""

from .modules import Module, read_text

CODE = '''\
"""The samples in a store in memory, and what each question finds there.

Run it: python -m {name}.example
"""

from shared.designs import load_samples, measure, scratch_store

from .design import DESIGN


def main() -> None:
    """Stores the samples, asks every question, and prints the first records of each answer."""
    connection = scratch_store(DESIGN.main.tables)
    repository = load_samples(connection, DESIGN, DESIGN.main)
    for answered in measure(connection, repository, DESIGN.patterns):
        print(f"{{answered.pattern.question}}:", *answered.records[:3], sep="\\n  ")
        assert answered.records


if __name__ == "__main__":
    main()
'''


def story(name: str) -> Module:
    """The module `example` of a package."""
    return read_text(CODE.format(name=name), "example")
