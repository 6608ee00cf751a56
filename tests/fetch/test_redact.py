import pytest

from build.fetch.redact import redact


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("http://user:hunter2@proxy:3128 failed", "http://***@proxy:3128 failed"),
        ("socks5://user:hun%2Fter2@proxy failed", "socks5://***@proxy failed"),
        (
            "GET https://r1.googlevideo.com/videoplayback?expire=1&sig=hunter2 failed",
            "GET https://r1.googlevideo.com/videoplayback?*** failed",
        ),
        ("https://www.youtube.com/watch?v=dQw4w9WgXcQ&pot=hunter2", "https://www.youtube.com/watch?v=dQw4w9WgXcQ"),
        ("Cookie: SID=hunter2; HSID=hunter3", "Cookie: ***"),
        ("{'Authorization': 'SAPISIDHASH hunter2'}", "{'Authorization': '***'}"),
        ("po_token=hunter2 is bad", "po_token=*** is bad"),
        ("visitor_data ok, access_token: hunter2", "visitor_data ok, access_token: ***"),
        ("--password=hunter2", "--password=***"),
    ],
)
def test_what_opens_a_door_is_hidden(text, clean):
    assert redact(text) == clean


def test_known_secrets_are_hidden_wherever_they_stand():
    assert redact("the site said hunter2 twice: hunter2!", ["hunter2"]) == "the site said *** twice: ***!"


def test_a_secret_within_a_secret_leaves_no_rest():
    assert redact("hunter2-long", ["hunter2", "hunter2-long"]) == "***"


def test_short_cookie_values_do_not_blot_out_words():
    assert redact("Video unavailable in en", ["en", "1", ""]) == "Video unavailable in en"


def test_what_the_site_says_stays_as_it_is():
    said = "Sign in to confirm you're not a bot. Use --cookies-from-browser or --cookies for the authentication."
    assert redact(said) == said
