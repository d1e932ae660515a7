"""Three ways through the app in a browser, from the first page to the file, with their actions counted."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.report.verify import verify_bundle
from tests.app.test_browser import WAIT, at_rest, drawn
from tests.cli.command import SAMPLES
from tests.sentences import MAKE_THE_PACKAGE, STEP_0_TO, THESE_ROLES_ARE_RIGHT, YOUR_OWN_FILE

pytestmark = pytest.mark.thorough


class Way:
    """Actions of a person on a page, counted; after each the page comes to rest."""

    def __init__(self, page):
        self.page, self.actions = page, 0

    def do(self, action):
        result = action()
        self.actions += 1
        at_rest(self.page)
        return result

    def click(self, role, name, **more):
        target = self.page.get_by_role(role, name=name, **more).first
        self.do(lambda: target.click(timeout=WAIT))

    def fill(self, label, text):
        field = self.page.get_by_label(label).first
        self.do(lambda: (field.fill(text, timeout=WAIT), field.press("Tab")))

    def upload(self, name, content):
        place = self.page.locator('[data-testid=stMain] input[type="file"]').first
        self.do(lambda: place.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content}))

    def download(self, name):
        with self.page.expect_download(timeout=WAIT) as coming:
            self.click("button", name)
        return coming.value.path().read_bytes()


def discharges(rows=2_000):
    rng = np.random.default_rng(5)
    data = {
        "mrn": np.arange(100_000, 100_000 + rows),
        "patient_name": rng.choice(["Ada Abel", "Ben Bell", "Cora Cole"], rows),
        "age": rng.integers(0, 95, rows),
        "sex": rng.choice(["F", "M"], rows),
        "zip": rng.choice(["06510", "06511", "06512", "06604"], rows),
        "diagnosis": rng.choice(["E11.9 Diabetes", "I10 Hypertension", "J18.9 Pneumonia"], rows),
    }
    return pd.DataFrame(data).to_csv(index=False).encode()


def test_an_officer_goes_from_a_hospital_table_to_a_signed_bundle(page, url, foreign_requests):
    data, way = discharges(), Way(page)
    page.goto(url)
    way.click("link", "Tables")
    way.click("combobox", "Data")
    way.click("option", f"{YOUR_OWN_FILE} …")
    way.upload("discharges.csv", data)
    page.get_by_text("Left out as identifiers: mrn, patient_name").wait_for(timeout=WAIT)
    way.click("tab", "Publish")
    way.click("button", THESE_ROLES_ARE_RIGHT)
    way.click("button", "Review and sign this release")
    way.fill("What is the name of the release?", "Discharges 2024")
    way.fill("Who decides?", "A. Officer")
    way.click("tab", "Sign")
    way.click("button", "Sign and create the report")
    page.get_by_text("Signed. Fingerprint of your key").first.wait_for(timeout=WAIT)
    content = way.download("Signed bundle (zip)")
    assert way.actions <= 25
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        release, certificate = bundle.read("release/release.csv"), bundle.read("internal/certificate.json")
    assert b"Ada Abel" not in release
    reading = {
        name: value for name, value in kanon.Generalization.from_json(certificate).reading.items() if value is not None
    }
    assert reading.pop("reader") == "read_table"
    table = kanon.read_table(data, filename="discharges.csv", **reading)
    assert verify_bundle(content, table, inputs={"discharges.csv": data}).certificate.proof == "checked"
    assert foreign_requests() == []


def test_own_zip_codes_with_counts_become_a_package(page, url, foreign_requests):
    way = Way(page)
    page.goto(f"{url}/regions?sample=own-file")
    way.upload("dc_zcta2010.zip", (SAMPLES / "dc_zcta2010.zip").read_bytes())
    page.locator("h4").first.wait_for(timeout=WAIT)
    drawn(page)
    way.click("tab", "Publish")
    way.do(lambda: page.get_by_role("radiogroup").first.locator("label").first.click(timeout=WAIT))
    way.click("button", MAKE_THE_PACKAGE)
    content = way.download("Package (zip)")
    assert way.actions <= 10
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        assert {"README.txt", "groups.csv"} <= set(package.namelist())
    assert foreign_requests() == []


def test_a_teacher_goes_from_a_link_to_a_step_of_an_algorithm(page, url, foreign_requests):
    way = Way(page)
    page.goto(f"{url}/labels")
    drawn(page)
    at_rest(page)
    way.click("tab", "How it works")
    way.click("button", "Next")
    page.get_by_label(STEP_0_TO).first.wait_for(timeout=WAIT)
    assert way.actions <= 3
    assert foreign_requests() == []
