"""Take the screenshots of the report for the documentation with Chromium: desktop and phone."""

from __future__ import annotations

import base64
import shutil
import tempfile
from pathlib import Path

from selenium import webdriver

import bayescorr

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
#: Width, height, theme, id of the section at the top, and highlighted system.
PICTURES = {
    "report-desktop": (1400, 1500, "light", "ranking", "fuse-lex"),
    "report-phone": (400, 1300, "dark", "", ""),
}
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run")


def main() -> None:
    report = bayescorr.make_report(
        bayescorr.load_dataset("demo"),
        random_seed=1,
        source="demo",
        command="bayescorr report demo --seed 1",
    )
    with tempfile.TemporaryDirectory() as folder:
        page = report.write(folder, figures=False)[0]
        options = webdriver.ChromeOptions()
        options.binary_location = str(shutil.which("chromium"))
        for flag in (*FLAGS, f"--user-data-dir={folder}/profile"):
            options.add_argument(flag)
        service = webdriver.ChromeService(shutil.which("chromedriver"))
        with webdriver.Chrome(options=options, service=service) as chrome:
            for name in PICTURES:
                take(chrome, page, name)


def take(chrome: webdriver.Chrome, page: Path, name: str) -> None:
    width, height, theme, top, system = PICTURES[name]
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    chrome.get(page.as_uri())
    chrome.execute_script("if (arguments[0]) choose(systems.indexOf(arguments[0]))", system)
    chrome.execute_script("document.getElementById(arguments[0])?.scrollIntoView()", top)
    picture = chrome.execute_cdp_cmd("Page.captureScreenshot", {})["data"]
    (IMAGES / f"{name}.png").write_bytes(base64.b64decode(picture))


if __name__ == "__main__":
    main()
