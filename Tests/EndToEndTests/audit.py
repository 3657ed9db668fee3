#!/usr/bin/env python3
"""Looks at the wall as a person across the room would: is every text large enough, dark on light enough, whole?

For every size it opens URL in Chromium, takes a screenshot and checks each visible text:
  contrast  at least 4.5:1 against the pixels really behind it
  size      not below the floor of the page's scale, 2.25 rem
  outside   no part of a line beyond the glass (ranges, not boxes: a box may fit where its text does not)
  cut       no line clipped by what contains it; an ellipsis only where the element is marked as a name
  overlap   no two texts on each other
and that the page raised no error and broke no security policy. Prints a JSON report; exit 0 all well, 1 faults found,
2 could not look.
"""
import argparse
import base64
import json
import pathlib
import sys

SIZES = ["1080x1920", "1920x1080", "810x1080", "600x1024"]

# Every visible text with its lines. A text that something else covers is not looked at: it is not seen.
COLLECT = r"""
() => {
  const floor = 2.25 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const said = node.data.trim(), parent = node.parentElement;
    if (!said || parent.closest('script, style')) continue;
    const style = getComputedStyle(parent);
    if (style.visibility !== 'visible' || parseFloat(style.opacity) === 0) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = Array.from(range.getClientRects()).filter(r => r.width > 0 && r.height > 0);
    if (!lines.length) continue;
    const middle = lines[0], x = Math.min(Math.max(middle.left + Math.min(middle.width / 2, 40), 1), innerWidth - 2);
    const y = Math.min(Math.max(middle.top + middle.height / 2, 1), innerHeight - 2);
    const top = document.elementFromPoint(x, y);
    if (top && !parent.contains(top) && !top.contains(parent)) continue;
    const faults = [];
    let shortened = false;
    for (const r of lines) {
      if (r.left < -0.5 || r.top < -0.5 || r.right > innerWidth + 0.5 || r.bottom > innerHeight + 0.5) {
        let clipped = false;
        for (let e = parent; e; e = e.parentElement) clipped = clipped || e.classList.contains('name');
        if (!clipped || r.top < -0.5 || r.bottom > innerHeight + 0.5) faults.push('outside');
      }
      for (let e = parent; e && e !== document.body; e = e.parentElement) {
        const s = getComputedStyle(e);
        if (s.overflowX === 'visible' && s.overflowY === 'visible') continue;
        const b = e.getBoundingClientRect();
        // The box of a line is taller than its letters.
        const slack = 0.15 * parseFloat(style.fontSize);
        if (r.top < b.top - slack || r.bottom > b.bottom + slack) faults.push('cut');
        if (r.left < b.left - 1 || r.right > b.right + 1) {
          if (s.textOverflow === 'ellipsis' && e.classList.contains('name')) shortened = true;
          else if (!shortened) faults.push('cut');
        }
      }
    }
    texts.push({
      text: said, where: (parent.id ? '#' + parent.id : '.' + parent.className), color: style.color,
      size: parseFloat(style.fontSize), floor, shortened, faults: Array.from(new Set(faults)),
      lines: lines.map(r => [r.left, r.top, r.width, r.height])
    });
  }
  return texts;
}
"""

# The lowest contrast of each text against a picture of the page without its letters.
CONTRAST = r"""
async ([picture, texts]) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + picture;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width; canvas.height = image.height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const linear = v => (v /= 255) <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
  const luminance = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  return texts.map(t => {
    const [r, g, b, a = 1] = t.color.match(/[\d.]+/g).map(Number);
    let lowest = 21;
    for (const [left, top, width, height] of t.lines) for (let i = 0; i <= 8; i++) for (let j = 1; j <= 3; j++) {
      const x = Math.round(left + width * i / 8), y = Math.round(top + height * j / 4);
      if (x < 0 || y < 0 || x >= canvas.width || y >= canvas.height) continue;
      const back = context.getImageData(x, y, 1, 1).data;
      const ink = [r, g, b].map((v, k) => v * a + back[k] * (1 - a));
      const one = luminance(ink), two = luminance(back);
      lowest = Math.min(lowest, (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05));
    }
    return lowest;
  });
}
"""


def overlaps(texts):
    """Pairs of texts whose lines stand on each other."""
    boxes = []
    for index, text in enumerate(texts):
        for left, top, width, height in text["lines"]:
            if not text["shortened"]:
                boxes.append((index, left, top + height * 0.15, left + width, top + height * 0.85))
    found = set()
    for i, a in enumerate(boxes):
        for b in boxes[i + 1:]:
            if a[0] != b[0] and min(a[3], b[3]) - max(a[1], b[1]) > 2 and min(a[4], b[4]) - max(a[2], b[2]) > 2:
                found.add((a[0], b[0]))
    return [(texts[i]["text"], texts[j]["text"]) for i, j in sorted(found)]


def judge(texts, contrasts):
    faults = []
    for text, contrast in zip(texts, contrasts):
        def fault(kind, detail=None):
            faults.append({"kind": kind, "text": text["text"][:80], "where": text["where"], "detail": detail})
        if contrast < 4.5:
            fault("contrast", round(contrast, 2))
        if text["size"] < text["floor"] - 0.5:
            fault("size", f"{text['size']:.1f} px, floor {text['floor']:.1f} px")
        for kind in text["faults"]:
            fault(kind)
    for one, two in overlaps(texts):
        faults.append({"kind": "overlap", "text": one[:80], "where": "", "detail": two[:80]})
    return faults


def look(browser, url, size, out, settle, name):
    width, height = map(int, size.split("x"))
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(url, wait_until="load")
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_timeout(settle)
    shot = None
    if out:
        shot = str(out / f"{name}-{size}.png")
        page.screenshot(path=shot)
    texts = page.evaluate(COLLECT)
    # Set through the object model: the page's policy forbids style elements, and shall stay in force here.
    page.evaluate("document.documentElement.style.setProperty('-webkit-text-fill-color', 'transparent')")
    bare = base64.b64encode(page.screenshot()).decode()
    board = browser.new_page()
    contrasts = board.evaluate(CONTRAST, [bare, texts]) if texts else []
    board.close()
    context.close()
    faults = judge(texts, contrasts) + [{"kind": "error", "text": e, "where": "", "detail": None} for e in errors]
    if not texts and "mode=off" not in url:
        faults.append({"kind": "empty", "text": "", "where": "", "detail": "the page says nothing"})
    return {
        "size": size, "screenshot": shot, "texts": len(texts),
        "lowestContrast": round(min(contrasts), 2) if contrasts else None,
        "smallestText": round(min(t["size"] for t in texts), 1) if texts else None,
        "shortened": [t["text"] for t in texts if t["shortened"]], "faults": faults,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", nargs="+")
    parser.add_argument("--size", action="append", help="WIDTHxHEIGHT, repeatable; default: " + " ".join(SIZES))
    parser.add_argument("--out", type=pathlib.Path, help="folder for screenshots")
    parser.add_argument("--name", action="append", help="of the screenshots, one a URL")
    parser.add_argument("--settle", type=int, default=200, help="milliseconds between load and look")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        print("audit: playwright is missing: pip install playwright", file=sys.stderr)
        return 2
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    names = options.name or []
    results = []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=options.chromium, args=["--no-sandbox", "--force-color-profile=srgb"])
            for index, url in enumerate(options.url):
                name = names[index] if index < len(names) else f"wall{index}"
                for size in options.size or SIZES:
                    results.append({"url": url, **look(browser, url, size, options.out, options.settle, name)})
            browser.close()
    except Error as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2
    ok = all(not result["faults"] for result in results)
    print(json.dumps({"ok": ok, "results": results}, ensure_ascii=False, indent=1))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
