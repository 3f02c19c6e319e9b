#!/usr/bin/env python3
"""check_pages.py PROGRAM PAGES WORK: opens all pages of `alembert reproduce` (in the folder PAGES) and one of
`alembert run --plot` in a headless Chromium, without network. None may write to the console, and every figure must be
visible on a screenshot. Exit code 77 (skipped) where no browser can be had."""

import pathlib
import re
import struct
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CELL = (330, 200)  # of the sheet on which all figures are shown
COLUMNS = 4
ROWS = 20  # on one sheet: screenshots have a largest height


def browser():
    found = subprocess.run([ROOT / "tools" / "browser.sh"], stdout=subprocess.PIPE, text=True)
    return found.stdout.strip().splitlines()[-1] if found.returncode == 0 else None


class Page:
    """A page as the browser shows it: what went to the console, and the picture."""

    def __init__(self, program, url, work, width, height):
        picture = work / "picture.png"
        picture.unlink(missing_ok=True)
        command = [program, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-dev-shm-usage",
                   "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
                   "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000",
                   f"--user-data-dir={work / 'profile'}", f"--window-size={width},{height}",
                   f"--screenshot={picture}", url]
        ran = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, timeout=900)
        # Software rendering says that reading pictures back is slow.
        self.console = [line for line in ran.stderr.splitlines() if "CONSOLE" in line and "GPU stall" not in line]
        if not picture.exists():
            raise SystemExit(f"{url}: the browser made no picture\n{ran.stderr[-2000:]}")
        self.width, self.height, self.rows = decode(picture.read_bytes())

    def coloured(self, x0=0, y0=0, x1=None, y1=None):
        """How many pixels of a rectangle have a colour of their own: those of curves and markers, no grey."""
        count = 0
        for row in self.rows[y0:y1]:
            part = row[3 * x0:3 * x1 if x1 else None]
            for i in range(0, len(part) - 2, 3):
                pixel = part[i:i + 3]
                count += max(pixel) - min(pixel) > 25
        return count


def decode(data):
    """Width, height and rows of RGB of a PNG (8 bits, RGB or RGBA, not interlaced: what Chromium writes)."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise SystemExit("no PNG")
    at, packed, head = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = head
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise SystemExit(f"another kind of PNG: {head}")
    size = 3 if colour == 2 else 4
    raw, before, rows = zlib.decompress(packed), bytearray(width * size), []
    for y in range(height):
        start = y * (width * size + 1)
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + width * size])
        unfilter(kind, line, before, size)
        before = line
        rows.append(line if size == 3 else bytes(v for i, v in enumerate(line) if i % 4 != 3))
    return width, height, rows


def unfilter(kind, line, before, size):
    if kind == 0:
        return
    for i in range(len(line)):
        left = line[i - size] if i >= size else 0
        up = before[i]
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = (left + up) // 2
        else:
            corner = before[i - size] if i >= size else 0
            p = left + up - corner
            distances = abs(p - left), abs(p - up), abs(p - corner)
            guess = (left, up, corner)[distances.index(min(distances))]
        line[i] = (line[i] + guess) & 255


def sheets(figures, work):
    """Pages with all figures in cells of known places; the figures are loaded as files, so that they are read as XML."""
    for start in range(0, len(figures), COLUMNS * ROWS):
        part = figures[start:start + COLUMNS * ROWS]
        cells = "".join(
            f'<img decoding="sync" src="{figure.as_uri()}" style="position:absolute;left:{i % COLUMNS * CELL[0]}px;'
            f'top:{i // COLUMNS * CELL[1]}px;width:{CELL[0]}px;height:{CELL[1]}px;object-fit:contain">'
            for i, figure in enumerate(part))
        sheet = work / f"sheet{start}.html"
        sheet.write_text(f'<!DOCTYPE html><link rel="icon" href="data:,"><body style="margin:0;background:#fff">{cells}')
        yield sheet, part


def main(program, pages, work):
    chromium = browser()
    if not chromium:
        print("no browser, and none can be installed here: skipped")
        return 77
    work.mkdir(parents=True, exist_ok=True)
    errors, figures_shown = [], 0

    def look(url, name, width, height):
        page = Page(chromium, url, work, width, height)
        errors.extend(f"{name}: console: {line}" for line in page.console)
        return page

    # The check itself must be able to see a mistake.
    broken = work / "broken.html"
    broken.write_text("<!DOCTYPE html><script>nowhere.nothing();</script>")
    blank = Page(chromium, broken.as_uri(), work, 200, 200)
    if not blank.console or blank.coloured():
        errors.append("errors of a page are not seen")

    for file in sorted(pages.glob("*.html")):
        text = file.read_text()
        if re.search(r"""(src|href)=["']?(https?:)?//""", text):
            errors.append(f"{file.name}: loads or names something from elsewhere")
        page = look(file.as_uri(), file.name, 700, 1100)
        if "<svg" in text and page.coloured() < 200:
            errors.append(f"{file.name}: no figure is visible")
        print(f"{file.name}: {text.count('<h2')} parts, {text.count('<svg')} figures")
    figures = sorted((pages / "figures").glob("*.svg"))
    if len(figures) < 10:
        errors.append(f"only {len(figures)} figures")
    for sheet, part in sheets(figures, work):
        page = look(sheet.as_uri(), "figures", COLUMNS * CELL[0], ROWS * CELL[1])
        for i, figure in enumerate(part):
            x, y = i % COLUMNS * CELL[0], i // COLUMNS * CELL[1]
            seen = page.coloured(x, y, x + CELL[0], y + CELL[1])
            figures_shown += seen > 50
            if seen <= 50:
                errors.append(f"{figure.name}: nothing to be seen ({seen} coloured pixels)")

    for model in ("double_pendulum", "four_particles"):
        animated = work / f"{model}.html"
        subprocess.run([program, "run", ROOT / "models" / f"{model}.alm", "--end", "5", "--quiet", "--plot", animated],
                       check=True)
        page = look(animated.as_uri(), animated.name, 700, 560)
        if page.coloured(0, 90, 700, 540) < 150:
            errors.append(f"{animated.name}: the animation shows nothing")
    print(f"{figures_shown} figures visible, {len(errors)} errors")
    for line in errors:
        print(line)
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *(pathlib.Path(a).resolve() for a in sys.argv[2:4])))
