#!/usr/bin/env python3
"""Looks at the wall as a person across the room would: is every text large enough, dark on light enough, whole?

For every size it opens URL in Chromium, takes a screenshot and checks each visible text:
  contrast  at least 4.5:1 against the pixels really behind it
  size      not below the floor of the served scale: 36 px on a panel whose short side is 1080, times that scale
  shrunk    the page has not made its letters smaller than it was served, unless --may-shrink names it
  outside   no part of a line beyond the glass (ranges, not boxes: a box may fit where its text does not)
  cut       no line clipped by what contains it; an ellipsis only where the element is marked as a name
  overlap   no two texts on each other
and that the page raised no error and broke no security policy. Prints a JSON report; exit 0 all well, 1 faults found,
2 could not look. Needs Python and Chromium, nothing else.
"""
import argparse
import base64
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

SIZES = ["1080x1920", "1920x1080", "810x1080", "600x1024"]
DEADLINE = 60  # seconds for one answer of the browser
FLOOR = 36 / 1080  # of the panel's short side, at a scale of 1

# Every visible text with its lines. A text that something else covers is not looked at: it is not seen.
COLLECT = r"""
() => {
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
    const seen = { left: 0, right: innerWidth };
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
          if (s.textOverflow === 'ellipsis' && e.classList.contains('name')) {
            shortened = true;
            seen.left = Math.max(seen.left, b.left);
            seen.right = Math.min(seen.right, b.right);
          } else if (!shortened) faults.push('cut');
        }
      }
    }
    texts.push({
      text: said, where: (parent.id ? '#' + parent.id : '.' + parent.className), color: style.color,
      size: parseFloat(style.fontSize), shortened, faults: Array.from(new Set(faults)),
      lines: lines.map(r => [Math.max(r.left, seen.left), r.top,
        Math.min(r.right, seen.right) - Math.max(r.left, seen.left), r.height])
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


# Keeps the scale that the page was served with, before it can paint itself another one.
SERVED = r"""
new MutationObserver((_, observer) => {
  if (!document.documentElement) return;
  window.servedScale = document.documentElement.dataset.scale;
  observer.disconnect();
}).observe(document, { childList: true })
"""


# A page whose agent has gone silent: its stream never says anything, and the page's clock is put forward.
SILENCE = r"""
(() => {
  const real = performance.now.bind(performance);
  window.skippedMilliseconds = 0;
  performance.now = () => real() + window.skippedMilliseconds;
  window.EventSource = function () { this.readyState = 1; this.addEventListener = this.close = () => {}; };
})()
"""


# A page that stops as it is as soon as it shows what SELECTOR finds: no event and no clock changes it any more. It looks after
# each event and each second itself, so that what is soon gone is not missed by who looks from outside.
HOLD = r"""
(() => {
  let isHeld = false;
  const listen = EventSource.prototype.addEventListener, every = window.setInterval;
  const look = () => {
    const seen = document.querySelector(SELECTOR);
    return isHeld = isHeld || !!seen && !seen.hidden;
  };
  EventSource.prototype.addEventListener = function (name, act) {
    return listen.call(this, name, event => { if (!isHeld) { act(event); look(); } });
  };
  window.setInterval = (act, pause) => every(() => { if (!isHeld) { act(); look(); } }, pause);
  window.isHeld = look;
})()
"""


# A page whose minutes pass when they are told to.
MINUTES = r"""
(() => {
  const every = window.setInterval, acts = [];
  window.setInterval = (act, pause) => { acts.push(act); return every(act, pause); };
  window.pass = minutes => { for (let i = 0; i < 60 * minutes; i++) acts.forEach(act => act()); };
})()
"""


# How far the page stands from its place, what in it would move, and what does.
MOTION = r"""
(() => {
  const late = document.getElementById('late');
  // A page at rest has nothing that has just come in.
  const entering = document.body.appendChild(document.createElement('div'));
  entering.className = 'enter';
  const place = new DOMMatrix(getComputedStyle(late.hidden ? document.getElementById('wall') : late).transform);
  const styles = Array.from(document.querySelectorAll('*'), e => getComputedStyle(e));
  const motion = {
    moved: [place.e, place.f],
    moving: Array.from(new Set(styles.flatMap(s => [
      parseFloat(s.transitionDuration) > 0 ? s.transitionProperty : 'none', s.animationName
    ]))).filter(name => name !== 'none').sort(),
    running: document.getAnimations().filter(a => a.effect.target !== entering)
      .map(a => a.transitionProperty || a.animationName)
  };
  entering.remove();
  return motion;
})()
"""


# The shares of a picture's pixels that are nearly white, and that are not dark.
LIGHT = r"""
async picture => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + picture;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width; canvas.height = image.height;
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const data = context.getImageData(0, 0, image.width, image.height).data;
  let white = 0, light = 0;
  for (let i = 0; i < data.length; i += 4) {
    white += Math.min(data[i], data[i + 1], data[i + 2]) >= 230;
    light += Math.max(data[i], data[i + 1], data[i + 2]) >= 64;
  }
  return { nearWhite: 4 * white / data.length, light: 4 * light / data.length };
}
"""


class Browser:
    """Chromium, spoken to in the DevTools protocol over a pipe: JSON messages that end in NUL."""

    def __init__(self, program, folder):
        commands, self.write = os.pipe()
        self.read, answers = os.pipe()
        # It reads descriptor 3 and writes 4; these may be anybody's here, so the shell moves them.
        launch = f'exec "$0" "$@" 3</dev/fd/{commands} 4>/dev/fd/{answers}'
        self.log = open(pathlib.Path(folder) / "chromium.log", "wb")
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", launch, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe",
             f"--user-data-dir={folder}/profile", "about:blank"],
            pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(commands)
        os.close(answers)
        self.buffer, self.last, self.events = b"", 0, []

    def close(self):
        os.close(self.write)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        os.close(self.read)
        self.log.close()

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        while True:
            answer = self.receive(method)
            if answer.get("id") != self.last:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def wait_for(self, event, session):
        while True:
            for index, seen in enumerate(self.events):
                if seen.get("method") == event and seen.get("sessionId") == session:
                    return self.events.pop(index)
            self.events.append(self.receive(event))

    def receive(self, wanted):
        end = time.monotonic() + DEADLINE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0, end - time.monotonic()))
            part = os.read(self.read, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError(f"the browser {'ended' if ready else 'said nothing'} while asked for {wanted}")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)


class Tab:
    """A page of a browser at one size."""

    def __init__(self, browser, width, height, motion="reduce"):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": motion}])

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def open(self, url):
        answer = self.call("Page.navigate", url=url)
        if "errorText" in answer:
            raise RuntimeError(f"{url}: {answer['errorText']}")
        self.browser.wait_for("Page.loadEventFired", self.session)
        self.evaluate("document.fonts.ready.then(() => true)")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"the audit itself failed: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self):
        return self.call("Page.captureScreenshot", format="png")["data"]

    def errors(self):
        """What the page complained of: exceptions, and the log's errors, broken security policy among them."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            said = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                details = said["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            elif event["method"] == "Log.entryAdded" and said["entry"]["level"] == "error":
                found.append(said["entry"]["text"])
        return found

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.events = [e for e in self.browser.events if e.get("sessionId") != self.session]


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


def judge(texts, contrasts, floor):
    faults = []
    for text, contrast in zip(texts, contrasts):
        def fault(kind, detail=None):
            faults.append({"kind": kind, "text": text["text"][:80], "where": text["where"], "detail": detail})
        if contrast < 4.5:
            fault("contrast", round(contrast, 2))
        if text["size"] < floor - 0.5:
            fault("size", f"{text['size']:.1f} px, floor {floor:.1f} px")
        for kind in text["faults"]:
            fault(kind)
    for one, two in overlaps(texts):
        faults.append({"kind": "overlap", "text": one[:80], "where": "", "detail": two[:80]})
    return faults


def opened(browser, url, size, options):
    width, height = map(int, size.split("x"))
    tab = Tab(browser, width, height, options.motion)
    tab.call("Page.addScriptToEvaluateOnNewDocument", source=SERVED)
    if options.silent is not None:
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=SILENCE)
    if options.until:
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=HOLD.replace("SELECTOR", json.dumps(options.until)))
    if options.minutes is not None:
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=MINUTES)
    tab.open(url)
    return tab


def held(browser, url, options):
    """The page at every size, each stopped when it shows what is waited for."""
    tabs = {size: opened(browser, url, size, options) for size in options.size or SIZES}
    print("watching", flush=True)
    end = time.monotonic() + 2 * DEADLINE
    waiting = dict(tabs)
    while waiting and time.monotonic() < end:
        for size, tab in list(waiting.items()):
            if tab.evaluate("window.isHeld()"):
                del waiting[size]
        time.sleep(0.05)
    if waiting:
        raise RuntimeError(f"{options.until} was not seen at {', '.join(waiting)}")
    return tabs


def look(browser, url, size, options, name, tab=None):
    tab = tab or opened(browser, url, size, options)
    # Only the one in front is drawn.
    tab.call("Page.bringToFront")
    if options.silent is not None:
        # The page looks at its clock once a second.
        tab.evaluate(f"window.skippedMilliseconds = {1000 * options.silent}; "
                     "new Promise(done => setTimeout(done, 1500))")
    motion = {}
    if options.minutes is not None:
        tab.evaluate(MOTION)  # what moves must have stood somewhere before
        tab.evaluate(f"window.pass({options.minutes})")
        motion = tab.evaluate(MOTION)
    if options.settle:
        tab.evaluate(f"new Promise(done => setTimeout(done, {options.settle}))")
    shot = None
    if options.out:
        shot = str(options.out / f"{name}-{size}.png")
        pathlib.Path(shot).write_bytes(base64.b64decode(tab.screenshot()))
    texts = tab.evaluate(f"({COLLECT})()")
    # Set through the object model: the page's policy forbids style elements, and shall stay in force here.
    tab.evaluate("document.documentElement.style.setProperty('-webkit-text-fill-color', 'transparent')")
    bare = tab.screenshot()
    # Another page looks at the picture, so that the wall's policy need not let it.
    board = Tab(browser, 100, 100)
    contrasts = board.evaluate(f"({CONTRAST})({json.dumps([bare, texts])})") if texts else []
    board.close()
    errors = tab.errors()
    served, painted = map(float, tab.evaluate("[window.servedScale, document.documentElement.dataset.scale]"))
    mode = tab.evaluate("document.documentElement.dataset.mode")
    tab.close()
    may_shrink = name in (options.may_shrink or [])
    # Of the type scale and not of the page's own font size, which is under test.
    floor = FLOOR * min(map(int, size.split("x"))) * (min(served, painted) if may_shrink else served)
    faults = judge(texts, contrasts, floor) + [{"kind": "error", "text": e, "where": "", "detail": None} for e in errors]
    if painted < served and not may_shrink:
        faults.append({"kind": "shrunk", "text": "", "where": "", "detail": f"{painted}, served {served}"})
    if not texts:
        faults.append({"kind": "empty", "text": "", "where": "", "detail": "the page says nothing"})
    return {
        "name": name, "size": size, "screenshot": shot, "texts": len(texts),
        "lowestContrast": round(min(contrasts), 2) if contrasts else None,
        "smallestText": round(min(t["size"] for t in texts), 1) if texts else None,
        "mode": mode, "shrunkTo": painted if painted < served else None,
        "shortened": [t["text"] for t in texts if t["shortened"]], "said": [t["text"] for t in texts],
        "faults": faults, **motion,
    }


def frames(tab, seconds):
    """The pictures that reach the glass in that time; `Page.startScreencast` was called."""
    pictures, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        tab.evaluate("0")  # takes in what came meanwhile
        events, tab.browser.events = tab.browser.events, []
        for event in events:
            if event.get("method") == "Page.screencastFrame" and event.get("sessionId") == tab.session:
                pictures.append(event["params"]["data"])
                tab.call("Page.screencastFrameAck", sessionId=event["params"]["sessionId"])
            else:
                tab.browser.events.append(event)
        time.sleep(0.05)
    return pictures


def flash(browser, url, size, options, name):
    """What is on the glass while one of the page's files does not come for a second, and when it does not come at all."""
    tab = Tab(browser, *map(int, size.split("x")))
    tab.call("Page.bringToFront")
    # In the place of the wall that stood there before.
    tab.evaluate("document.documentElement.style.background = '#000'")
    tab.screenshot()  # it is there now
    tab.call("Page.startScreencast", format="png")
    tab.call("Fetch.enable", patterns=[{"urlPattern": f"*{options.hold}"}])
    tab.call("Page.navigate", url=url)
    request = browser.wait_for("Fetch.requestPaused", tab.session)["params"]["requestId"]
    pictures = frames(tab, 1)
    tab.call("Fetch.failRequest", requestId=request, errorReason="Failed")
    browser.wait_for("Page.loadEventFired", tab.session)
    pictures += frames(tab, 0.5) + [tab.screenshot()]
    board = Tab(browser, 100, 100)
    lights = [board.evaluate(f"({LIGHT})({json.dumps(picture)})") for picture in pictures]
    board.close()
    tab.close()
    shot = None
    if options.out:
        shot = str(options.out / f"{name}-{size}.png")
        pathlib.Path(shot).write_bytes(base64.b64decode(pictures[-1]))
    light = {kind: max(each[kind] for each in lights) for kind in lights[0]}
    faults = [{"kind": "flash", "text": "", "where": "", "detail": light}] if light["nearWhite"] >= 0.2 else []
    return {"name": name, "size": size, "screenshot": shot, "shortened": [], "said": [], "faults": faults,
            "frames": len(pictures), **light}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", nargs="+")
    parser.add_argument("--size", action="append", help="WIDTHxHEIGHT, repeatable; default: " + " ".join(SIZES))
    parser.add_argument("--out", type=pathlib.Path, help="folder for screenshots")
    parser.add_argument("--name", action="append", help="of the screenshots, one a URL")
    parser.add_argument("--settle", type=int, default=0, help="milliseconds between load and look")
    parser.add_argument("--silent", type=int, help="look at a page whose agent has been silent for so many seconds")
    parser.add_argument("--until", metavar="SELECTOR", help="stop the page when it shows that, and look at it then; "
                        "says `watching` when it is open at every size")
    parser.add_argument("--minutes", type=int, help="let so many minutes pass on the page, and tell what moves in it")
    parser.add_argument("--motion", default="reduce", help="what the page is told of prefers-reduced-motion")
    parser.add_argument("--hold", metavar="SUFFIX", help="let the file whose name ends so not come, and look only for a "
                        "flash: 20 %% of the glass nearly white")
    parser.add_argument("--may-shrink", metavar="NAME", action="append",
                        help="a page that may make its letters smaller, because it is too full; repeatable")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    names = options.name or [f"wall{i}" if i else "wall" for i in range(len(options.url))]
    if len(names) != len(options.url):
        parser.error("as many names as URLs")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    report = []
    with tempfile.TemporaryDirectory(prefix="audit.", ignore_cleanup_errors=True) as folder:
        browser = Browser(options.chromium, folder)
        try:
            for url, name in zip(options.url, names):
                tabs = {}
                if options.hold:
                    report += [{"url": url, **flash(browser, url, size, options, name)} for size in options.size or SIZES]
                    continue
                if options.until:
                    tabs = held(browser, url, options)
                elif options.silent is None:
                    # All in the same minute: the page's clock goes on.
                    tabs = {size: opened(browser, url, size, options) for size in options.size or SIZES}
                for size in options.size or SIZES:
                    report.append({"url": url, **look(browser, url, size, options, name, tabs.get(size))})
        except (RuntimeError, OSError) as error:
            print(f"audit: {error}", file=sys.stderr)
            return 2
        finally:
            browser.close()
    ok = not any(view["faults"] for view in report)
    print(json.dumps({"ok": ok, "results": report}, ensure_ascii=False, indent=1))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
