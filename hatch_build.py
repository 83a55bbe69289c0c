"""What the wheel holds: `shared/` as `rowbook`, `domains/` as `rowbook.domains`, with imports that say so.

In the repository they are imported as `shared` and `domains`, so that a copied design runs as it stands. Packages of
these names have no place in other people's site-packages.
"""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LAUNCHER = "domains/command_line/launcher.py"
PLACES = {"shared": "", "domains": "domains", "fixtures": "fixtures"}
"""Folders of the repository, and what they are below `rowbook`."""
PACKAGES = {"shared": "rowbook", "domains": "rowbook.domains", "fixtures": "rowbook.fixtures"}
IMPORTED = re.compile(rf"^(\s*(?:from|import) )({'|'.join(PACKAGES)})(?=[. ])", re.MULTILINE)


class RowbookWheel(BuildHookInterface[Any]):
    """Puts the package together in a folder that lasts as long as the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names what goes into the wheel; an editable one has the command, which imports from the checkout."""
        if version == "editable":
            build_data["force_include_editable"][LAUNCHER] = "rowbook/__init__.py"
            return
        self._folder = TemporaryDirectory()
        package = Path(self._folder.name, "rowbook")
        for source, place in PLACES.items():
            ignored = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(Path(self.root, source), package / place, ignore=ignored, dirs_exist_ok=True)
        (package / LAUNCHER).replace(package / "__init__.py")
        for file in package.rglob("*"):
            if file.suffix in (".py", ".md"):
                text = file.read_text(encoding="utf-8")
                file.write_text(IMPORTED.sub(_renamed, text), encoding="utf-8")
        build_data["force_include"][str(package)] = "rowbook"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the folder."""
        if version != "editable":
            self._folder.cleanup()


def _renamed(found: re.Match[str]) -> str:
    return found[1] + PACKAGES[found[2]]
