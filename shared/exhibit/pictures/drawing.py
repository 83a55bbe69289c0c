"""Boxes, words and arrows as SVG: one width, one set of colours for light and dark, the same bytes from the same data.

Fonts are those of the reader's system, so a width of text is an estimate with room to spare.
"""

import re
import textwrap
from collections.abc import Sequence

import svg

from ..part_colours import DARK, INK, LIGHT, Colours, Role

WIDTH = 560
"""Pixels; a page shows a picture at this width or scales it down to the screen."""
MARGIN = 8
SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
MONO = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace'
SANS_PX, MONO_PX, HEADLINE_PX = 8.0, 9.1, 10.2
"""Pixels that a character takes on average: of text and of bytes at 15 pixels, of a bold headline at 17."""
BOLD = 1.12
"""A bold text is so many times as wide."""

HEAT = {
    "light": "fff0b3 fedd82 fec965 fdae4f fc8d3f f8642f ea3a22 cd1420 a50026 7a0018",
    "dark": "4b2a5e 6b2c66 8a2f62 aa3355 c8413f df562c ee6f20 f88f22 fcb63b ffe27a",
}
"""The scale of shares: a colour for each tenth."""
TENTHS = 10


def _theme(colours: Colours, ink: tuple[str, str, str]) -> str:
    text, second, ground = ink
    roles = "".join(
        f".{role}{{fill:{fill};stroke:{line}}}.line.{role}{{fill:none}}.dot.{role}{{fill:{line}}}"
        for role, (fill, line) in colours.items()
    )
    return (
        f".ground{{fill:{ground}}}text{{fill:{text}}}.second{{fill:{second}}}.line{{stroke:{text};fill:none}}"
        f".ink{{fill:{text}}}.grid{{stroke:{second};fill:none}}.hatch{{stroke:{text}}}{roles}"
    )


def _scale(colours: str) -> str:
    return "".join(f".share{number}{{fill:#{colour}}}" for number, colour in enumerate(colours.split(), 1))


STYLE = (
    f"text{{font:15px {SANS}}}.bold{{font-weight:700}}.head{{font-size:17px;font-weight:700}}"
    ".figure{font-size:36px;font-weight:700}"
    f".mono{{font:15px {MONO}}}.mono.bold{{font-weight:700}}.middle{{text-anchor:middle}}.end{{text-anchor:end}}"
    "rect,path,line{stroke-width:1.5}.decides{stroke-width:3.5}.dashed{stroke-dasharray:5 4}"
    ".ground,.ink{stroke:none}"
    f"{_theme(LIGHT, INK['light'])}@media(prefers-color-scheme:dark){{{_theme(DARK, INK['dark'])}}}"
)
STYLE_OF_SHARES = f"{_scale(HEAT['light'])}@media(prefers-color-scheme:dark){{{_scale(HEAT['dark'])}}}"


def width_of(text: str, pixels: float = SANS_PX) -> float:
    """The estimated width of a text in pixels."""
    return len(text) * pixels


class Picture:
    """A picture that grows downwards: things are drawn at the height `y`, and `text()` is the whole file.

    `alt` says in one sentence what is drawn, for readers who cannot see it; `sentence` is what a page adds below it,
    if the page does not say it anyway.
    """

    def __init__(self, alt: str, headline: str, sentence: str = "") -> None:
        self.alt = alt
        self.sentence = sentence
        self._drawn: list[svg.Element] = []
        self._is_hatched = False
        self._has_shares = False
        self.y = 26.0
        for line in textwrap.wrap(headline, int((WIDTH - 2 * MARGIN) / HEADLINE_PX), break_on_hyphens=False):
            self.words(MARGIN, line, "head")
            self.y += 22
        self.y += 8

    def words(self, x: float, text: str, *classes: str, y: float | None = None) -> None:
        """Writes a line of text whose base line is `y`."""
        self._drawn.append(
            svg.Text(x=_px(x), y=_px(self.y if y is None else y), text=svg.escape(text), class_=list(classes) or None)
        )

    def named(self, x: float, name: str, remark: str) -> None:
        """Writes the name of a table, and a remark behind it, as one text."""
        spans: list[svg.Element] = [svg.TSpan(text=svg.escape(name), class_=["mono", "bold"])]
        spans += [svg.TSpan(text=svg.escape(remark), class_=["second"], dx=12)] if remark else []
        self._drawn.append(svg.Text(x=x, y=_px(self.y), elements=spans))

    def phrase(self, x: float, *spans: tuple[str, str]) -> None:
        """Writes texts that follow each other as one line, each with its class or none."""
        parts: list[svg.Element] = [
            svg.TSpan(text=svg.escape(text), class_=[name] if name else None) for text, name in spans
        ]
        self._drawn.append(svg.Text(x=_px(x), y=_px(self.y), elements=parts))

    def phrases(self, *spans: tuple[str, str]) -> None:
        """Writes texts that follow each other on as many lines as they need, and goes on below them."""
        lines: list[list[tuple[str, str]]] = [[]]
        left = WIDTH - 2.0 * MARGIN
        for text, name in spans:
            for word in re.findall(r"\s*\S+\s*", text):
                width = width_of(word, MONO_PX if name == "mono" else SANS_PX)
                if lines[-1] and width > left:
                    lines.append([])
                    left = WIDTH - 2.0 * MARGIN
                before = lines[-1].pop()[0] if lines[-1] and lines[-1][-1][1] == name else ""
                lines[-1].append((before + word, name))
                left -= width
        for line in lines:
            self.phrase(MARGIN, *line)
            self.y += 22

    def box(self, x: float, width: float, height: float, label: str, role: Role, *classes: str) -> None:
        """Draws a box at `y` with its label in the middle."""
        self._drawn.append(svg.Rect(x=_px(x), y=_px(self.y), width=_px(width), height=height, class_=[role, *classes]))
        if label:
            mono = ("mono",) if "bytes" in classes else ()
            self.words(x + width / 2, label, "middle", *mono, y=self.y + height / 2 + 5)

    def hatch(self, x: float, width: float, height: float, *, y: float) -> None:
        """Draws a hatched strip, the mark of what is wrong or missing."""
        self._is_hatched = True
        self._drawn.append(svg.Rect(x=_px(x), y=_px(y), width=_px(width), height=height, fill="url(#hatch)"))

    def frame(self, x: float, width: float, height: float) -> None:
        """Draws the thick line around the row that decides."""
        self._drawn.append(svg.Rect(x=x, y=_px(self.y), width=width, height=height, class_=["line", "decides"]))

    def path(
        self,
        data: list[svg.PathData],
        *classes: str,
        has_arrow: bool = False,
        dashes: Sequence[float] = (),
        opacity: float | None = None,
    ) -> None:
        """Draws a line, with an arrow at its end or not; `dashes` are the lengths of its dashes and gaps."""
        self._drawn.append(
            svg.Path(
                d=data,
                class_=["line", *classes],
                marker_end="url(#arrow)" if has_arrow else None,
                stroke_dasharray=[*dashes] or None,
                stroke_opacity=opacity,
            )
        )

    def dot(self, x: float, y: float, role: Role | None = None) -> None:
        """Draws a small disc in the colour of a role's lines, or of the text."""
        self._drawn.append(svg.Circle(cx=_px(x), cy=_px(y), r=3, class_=["dot", role] if role else ["ink"]))

    def bar(self, x: float, width: float, height: float, *, y: float) -> None:
        """Draws a solid bar in the colour of the text."""
        self._drawn.append(svg.Rect(x=_px(x), y=_px(y), width=_px(width), height=height, class_=["ink"]))

    def cells(self, x: float, width: float, height: float, columns: Sequence[Sequence[float]]) -> None:
        """Draws a grid of shares in the colours of the scale: each column from top to bottom; a cell with 0 is empty.

        Cells of one colour are one path, because a path for each would make the file four times as large.
        """
        self._has_shares = True
        of_colour: dict[int, list[svg.PathData]] = {}
        for number, column in enumerate(columns):
            for row, share in enumerate(column):
                if share:
                    corner = svg.M(_px(x + number * width), _px(self.y + row * height))
                    cell = [corner, svg.h(width), svg.v(height), svg.h(-width)]
                    of_colour.setdefault(max(1, round(share * TENTHS)), []).extend(cell)
        for colour, path in sorted(of_colour.items()):
            self._drawn.append(svg.Path(d=path, class_=[f"share{colour}"]))
        right, foot = x + len(columns) * width, self.y + len(columns[0]) * height
        lines: list[svg.PathData] = []
        for number in range(len(columns) + 1):
            lines += [svg.M(_px(x + number * width), _px(self.y)), svg.V(_px(foot))]
        for row in range(len(columns[0]) + 1):
            lines += [svg.M(_px(x), _px(self.y + row * height)), svg.H(_px(right))]
        self._drawn.append(svg.Path(d=lines, class_=["grid"], stroke_opacity=0.4))

    def scale(self, words: str) -> None:
        """Draws the scale of shares with its ends named and `words` behind it, and goes on below it."""
        self.words(MARGIN, "0%")
        left, width, height = MARGIN + 32, 18, 14
        self.y -= height - 1
        self.cells(left, width, height, [[number / TENTHS] for number in range(1, TENTHS + 1)])
        self.y += height - 1
        self.phrase(left + width * TENTHS + 8, ("100%  ", ""), (words, "second"))
        self.y += 22

    def paragraph(self, text: str, *classes: str, x: float = MARGIN) -> None:
        """Writes a text on as many lines as it needs, and goes on below it."""
        for line in textwrap.wrap(text, int((WIDTH - x - MARGIN) / SANS_PX)):
            self.words(x, line, *classes)
            self.y += 22

    def text(self) -> str:
        """The file."""
        height = round(self.y + 6)
        arrow = svg.Marker(
            id="arrow",
            viewBox=svg.ViewBoxSpec(0, 0, 8, 8),
            refX=7,
            refY=4,
            markerWidth=9,
            markerHeight=9,
            markerUnits="userSpaceOnUse",
            orient="auto",
            elements=[svg.Path(d=[svg.M(0, 0), svg.L(8, 4), svg.L(0, 8), svg.Z()], class_=["ink"])],
        )
        hatch = svg.Pattern(
            id="hatch",
            width=6,
            height=6,
            patternUnits="userSpaceOnUse",
            patternTransform=[svg.Rotate(45)],
            elements=[svg.Line(x1=0, y1=0, x2=0, y2=6, class_=["hatch"])],
        )
        picture = svg.SVG(
            width=WIDTH,
            height=height,
            viewBox=svg.ViewBoxSpec(0, 0, WIDTH, height),
            elements=[
                svg.Title(text=svg.escape(self.alt)),
                svg.Style(text=STYLE + STYLE_OF_SHARES if self._has_shares else STYLE),
                svg.Defs(elements=[arrow, hatch] if self._is_hatched else [arrow]),
                svg.Rect(width=WIDTH, height=height, class_=["ground"]),
                *self._drawn,
            ],
        )
        return "\n".join(str(picture).replace("><", ">\n<").splitlines()) + "\n"


def _px(value: float) -> float:
    """A length without digits that no screen shows."""
    return round(value, 1)
