"""What is said of a storage."""

from mocha_lightning.sweep.storage import without_password


def test_a_password_is_never_shown() -> None:
    url = "postgresql://me:secret@host/studies"
    assert "secret" not in without_password(url)
    assert without_password("--trials") == "--trials"
