#!/usr/bin/env python3
"""Opens the wall in Chromium and tells twice a second what it says, a JSON line each: link.py URL [REFUSALS]. So many of its
first requests for /events are answered 503. Every time that the page began to tell of a loss stands in `losses`, with the
seconds of silence that it told first, and those since it had looked at its clock before. With `measure` in the place of REFUSALS it tells every two seconds what the page
keeps after its garbage was collected, and how many snapshots it has heard. Ends with SIGTERM."""
import importlib.util
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import time

spec = importlib.util.spec_from_file_location("audit", pathlib.Path(__file__).with_name("audit.py"))
audit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(audit)

LOOK = """(() => ({
  asset: document.getElementById('boot').dataset.asset,
  clock: document.getElementById('clock').textContent,
  banners: Array.from(document.querySelectorAll('#banners .banner')).map(b => b.textContent.trim()),
  reader: document.getElementById('reader').textContent.trim(),
  losses: window.losses
}))()"""

# Looks with the page's own clock, so that no look from outside comes too late for the first words.
LOSSES = """(() => {
  const every = window.setInterval, words = 'The wall has lost its connection for ';
  let lastTick = 0, isSaid = false;
  window.losses = [];
  window.setInterval = (act, pause) => every(() => {
    const tick = performance.now();
    act();
    const said = Array.from(document.querySelectorAll('#banners .banner'), b => b.textContent.trim())
      .find(text => text.startsWith(words));
    if (said && !isSaid) {
      window.losses.push({ silence: parseInt(said.slice(words.length)), sinceTick: (performance.now() - lastTick) / 1000 });
    }
    isSaid = !!said;
    lastTick = tick;
  }, pause);
})()"""

COUNT = """(() => {
  const listen = EventSource.prototype.addEventListener;
  window.heard = 0;
  EventSource.prototype.addEventListener = function (name, act) {
    return listen.call(this, name, event => { window.heard += name === 'state'; act(event); });
  };
})()"""


def measured(tab):
    tab.call("HeapProfiler.collectGarbage")
    metrics = {m["name"]: m["value"] for m in tab.call("Performance.getMetrics")["metrics"]}
    return {"heap": int(metrics["JSHeapUsedSize"]), "nodes": int(metrics["Nodes"]),
            "listeners": int(metrics["JSEventListeners"]), "heard": tab.evaluate("window.heard")}


def end(*_):
    raise KeyboardInterrupt


signal.signal(signal.SIGTERM, end)
folder = tempfile.mkdtemp(prefix="link.")
browser = None
try:
    browser = audit.Browser(shutil.which("chromium") or "chromium", folder)
    tab = audit.Tab(browser, 1080, 1920)
    measures = sys.argv[2:] == ["measure"]
    refusals = int(sys.argv[2]) if len(sys.argv) > 2 and not measures else 0
    refused = 0
    if refusals:
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*/events"}])
    tab.call("Page.addScriptToEvaluateOnNewDocument", source=LOSSES)
    if measures:
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=COUNT)
        tab.call("Performance.enable")
    tab.open(sys.argv[1])
    while measures:
        print(json.dumps(measured(tab)), flush=True)
        browser.events.clear()
        time.sleep(2)
    while True:
        look = tab.evaluate(LOOK)
        events, browser.events = browser.events, []
        for event in events:
            if event.get("method") != "Fetch.requestPaused":
                continue
            request = event["params"]["requestId"]
            if refused < refusals:
                refused += 1
                tab.call("Fetch.fulfillRequest", requestId=request, responseCode=503)
            else:
                tab.call("Fetch.continueRequest", requestId=request)
        print(json.dumps({**look, "refused": refused}), flush=True)
        time.sleep(0.5)
except KeyboardInterrupt:
    pass
finally:
    if browser:
        browser.close()
    shutil.rmtree(folder, ignore_errors=True)
