#!/usr/bin/env python3
"""Opens the wall in Chromium and tells twice a second what it says, a JSON line each: link.py URL. Ends with SIGTERM."""
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
  clock: document.getElementById('clock').textContent,
  banners: Array.from(document.querySelectorAll('#banners .banner')).map(b => b.textContent.trim()),
  reader: document.getElementById('reader').textContent.trim()
}))()"""


def end(*_):
    raise KeyboardInterrupt


signal.signal(signal.SIGTERM, end)
folder = tempfile.mkdtemp(prefix="link.")
browser = None
try:
    browser = audit.Browser(shutil.which("chromium") or "chromium", folder)
    tab = audit.Tab(browser, 1080, 1920)
    tab.open(sys.argv[1])
    while True:
        print(json.dumps(tab.evaluate(LOOK)), flush=True)
        browser.events.clear()
        time.sleep(0.5)
except KeyboardInterrupt:
    pass
finally:
    if browser:
        browser.close()
    shutil.rmtree(folder, ignore_errors=True)
