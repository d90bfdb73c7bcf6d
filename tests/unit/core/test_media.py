import pytest

from bot.core.media import media_type


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\x89PNG\r\n\x1a\nanything at all \x00", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a<script>", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "application/octet-stream"),
        (b"\x89PNG\r\n\x1a", "application/octet-stream"),
        (b"BM\x00\x00", "application/octet-stream"),
        (b"%PDF-1.7\n\xe2\xe3", "application/octet-stream"),
        (b"PK\x03\x04", "application/octet-stream"),
        (b"", "text/plain"),
        (b"a,b\r\n1,2\r\n", "text/plain"),
        ("ä🙂\t\n".encode(), "text/plain"),
        (b"<svg onload='alert(1)'/>", "text/plain"),
        (b"<!doctype html><script>alert(1)</script>", "text/plain"),
        (b"a\x00b", "application/octet-stream"),
        (b"\x1b[31mred", "application/octet-stream"),
        (b"\xff\xfea\x00", "application/octet-stream"),
        (b"half \xc3", "application/octet-stream"),
    ],
)
def test_content_tells(data: bytes, expected: str) -> None:
    assert media_type(data) == expected
