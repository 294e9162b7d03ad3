"""What results follow from."""

from ycsbook import provenance as fingerprints


def test_results_follow_from_the_code_that_makes_them_and_from_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprints, "__file__", str(tmp_path / "fingerprints.py"))

    def after_writing(path: str, text: str) -> dict[str, str]:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
        return fingerprints.code.__wrapped__()

    first = after_writing("scaling/fit.py", "'''Fits.'''")
    assert after_writing("servers/mongod.py", "'''Starts a server.'''") == first
    assert after_writing("scaling/notes.txt", "none of the program") == first
    assert after_writing("scaling/fit.py", "'''Fits laws.'''") != first
