"""Writes what the stories of all designs print anew."""

from tests.domains.test_stories import STORIES, stories

if __name__ == "__main__":
    STORIES.write_text(stories(), encoding="utf-8")
