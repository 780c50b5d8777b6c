"""A real Chromium without a window, driven over a pipe by the DevTools protocol; no package is needed for that."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
# Chromium reads commands from descriptor 3 and answers on 4
LAUNCH = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"]
PATIENCE = 30.0
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """One Chromium with one tab."""

    def __init__(self, profile):
        ends = [*os.pipe(), *os.pipe()]
        # out of the way of 3 and 4, which the launcher overwrites
        there_reads, self._write, self._read, there_writes = (
            fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends
        )
        for end in ends:
            os.close(end)
        command = [CHROMIUM, *OPTIONS, *QUIET, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(there_reads), str(there_writes), *command],
            pass_fds=(there_reads, there_writes),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(there_reads)
        os.close(there_writes)
        self._number, self._unread, self._session = 0, b"", None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        with contextlib.suppress(OSError, EOFError, TimeoutError):
            self._session = None
            self.call("Browser.close")
        os.close(self._write)
        os.close(self._read)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def call(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.events.append(answer)

    def _message(self):
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._unread:
            if not select.select([self._read], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError(f"Chromium did not answer within {PATIENCE} s")
            got = os.read(self._read, 1 << 20)
            if not got:
                raise EOFError("Chromium has ended")
            self._unread += got
        text, self._unread = self._unread.split(b"\0", 1)
        return json.loads(text)

    def open(self, url):
        """Load a page anew, and wait until it stands."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")
        self.settle()

    def settle(self):
        """Wait for two frames, by which layout, observers and events have had their turn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def run(self, expression):
        """The value of JavaScript."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, expression):
        until = time.monotonic() + PATIENCE
        while not self.run(expression):
            assert time.monotonic() < until, f"never true: {expression}"
            time.sleep(0.02)

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(node => node.textContent)")

    def visible(self, selector):
        """How many elements are laid out."""
        nodes = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return self.run(f"{nodes}.filter(node => node.getClientRects().length).length")

    def centre(self, selector):
        box = f"document.querySelector({json.dumps(selector)})"
        move = f"{box}.scrollIntoView({{block: 'center', behavior: 'instant'}})"
        place = f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box}.getBoundingClientRect())"
        self.run(move)
        return self.run(place)

    def hover(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def click(self, selector):
        """A click of the mouse, where the element is."""
        x, y = self.centre(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def press(self, key, **more):
        code = KEYS[key]
        text = {"Enter": "\r", " ": " "}.get(key)
        down = {"type": "keyDown" if text else "rawKeyDown", **({"text": text} if text else {})}
        for event in (down, {"type": "keyUp"}):
            self.call("Input.dispatchKeyEvent", key=key, windowsVirtualKeyCode=code, **event, **more)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def size(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.settle()

    def scheme(self, name):
        """What the reader's system prefers, light or dark."""
        preferred = {
            "prefers-color-scheme": name,
            "prefers-reduced-motion": "reduce",
        }  # no waiting for smooth scrolling
        features = [{"name": feature, "value": value} for feature, value in preferred.items()]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.settle()

    def screenshot(self, path, *, whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self):
        made = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        return base64.b64decode(made["data"])

    def faults(self):
        """Errors and warnings on the console, exceptions, and refusals of the page's policy."""
        wrong = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                wrong.append(params["exceptionDetails"])
            elif event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                wrong.append(params["args"])
            elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                wrong.append(params["entry"])
        return wrong

    def requests(self):
        sent = (
            event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"
        )
        return [url for url in sent if not url.startswith("data:")]
