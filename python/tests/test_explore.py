"""The page in the browser, from Python."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import leyden
import pytest
from leyden import Program


@pytest.fixture
def store(tmp_path):
    return tmp_path / "library.db"


def call(page, path):
    address, token = page.link.split("/#token=")
    headers = {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"{address}/api/v1/{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def is_alive(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_page_answers_until_it_is_stopped(store):
    page = leyden.explore("demo", store=store, open=False)
    assert page.is_running and page.link in repr(page) and "<a href" in page._repr_html_()
    about = call(page, "about")
    assert [it["id"] for it in about["sets"]] == ["demo"]
    page.stop()
    page.stop()
    assert not page.is_running and "stopped" in repr(page)
    with pytest.raises(urllib.error.URLError):
        call(page, "about")


def test_tasks_and_programs_may_be_objects(store):
    demo = leyden.load("demo")[:2]
    first = demo.ids[0]
    program = Program.parse(f"def solve_{first}(I):\n    return vmirror(I)")
    with leyden.explore(demo, program, store, open=False) as page:
        name = urllib.parse.quote(call(page, "about")["sets"][0]["id"], safe="")
        tasks = call(page, f"sets/{name}/tasks")["tasks"]
        assert [it["id"] for it in tasks] == demo.ids
        assert [it["name"] for it in call(page, "programs")["programs"]] == [program.name]
    assert not page.is_running


def test_the_browser_opens_with_the_link(store, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with leyden.explore(["demo"], store=store) as page:
        assert opened == [page.link]


def test_wrong_arguments_are_values_errors(store, tmp_path):
    with pytest.raises(ValueError, match="nowhere"):
        leyden.explore("nowhere", store=store, open=False)
    notes = tmp_path / "notes.txt"
    notes.write_text("buy milk")
    with pytest.raises(ValueError, match="notes"):
        leyden.explore("demo", store=store, files=[notes], open=False)


def test_the_end_of_the_interpreter_ends_the_server(store):
    text = f"import leyden; page = leyden.explore('demo', store={str(store)!r}, open=False); print(page._process.pid)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, timeout=120)
    assert not is_alive(int(done.stdout))
