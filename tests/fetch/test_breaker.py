from build.fetch.breaker import LONGEST_REST_S, RESTS, STREAK, Rest, Streak


def test_a_streak_of_failures_is_handed_over_once():
    streak: Streak[int] = Streak()
    assert [streak.failed(n) for n in range(STREAK)] == [[]] * (STREAK - 1) + [list(range(STREAK))]
    assert streak.failed(99) == []


def test_a_song_that_is_had_ends_the_streak():
    streak: Streak[int] = Streak()
    for n in range(STREAK - 1):
        streak.failed(n)
    streak.answered()
    assert streak.failed(99) == []


def test_rests_double_until_the_site_answers():
    rest, now = Rest(), 0.0
    lengths = []
    for _ in range(3):
        rest.begin("youtube", now, 600.0)
        lengths.append(rest.left_s(now))
        now = rest.until
    assert lengths == [600.0, 1200.0, 2400.0]
    rest.answered("youtube")
    rest.begin("youtube", now, 600.0)
    assert rest.left_s(now) == 600.0


def test_limits_that_come_in_while_the_run_rests_do_not_prolong_it():
    rest = Rest()
    for second in (0.0, 1.0, 2.0):
        rest.begin("youtube", second, 600.0)
    assert (rest.until, rest.count) == (600.0, 1)


def test_what_the_server_asks_for_is_kept_to_within_reason():
    rest = Rest()
    rest.begin("host", 0.0, 600.0, retry_after_s=7.0)
    assert rest.until == 7.0
    rest = Rest()
    rest.begin("host", 0.0, 600.0, retry_after_s=1e9)
    assert rest.until == LONGEST_REST_S


def test_a_server_that_asks_for_no_rest_at_all_is_rested_for_as_usual():
    rest, now = Rest(), 0.0
    for wait_s in (600.0, 1200.0):
        rest.begin("host", now, 600.0, retry_after_s=0.0)
        assert rest.left_s(now) == wait_s
        now = rest.until


def test_only_the_site_that_asked_for_a_rest_ends_the_doubling():
    rest = Rest()
    rest.begin("youtube", 0.0, 600.0)
    rest.answered("elsewhere.example")
    assert rest.count == 1


def test_the_run_gives_up_after_rests_in_vain():
    rest, now = Rest(), 0.0
    for _ in range(RESTS):
        rest.begin("youtube", now, 600.0)
        now = rest.until
        assert not rest.given_up()
    rest.begin("youtube", now, 600.0)
    assert rest.given_up()


def test_a_clock_that_was_set_back_by_years_does_not_make_the_run_rest_for_years():
    assert Rest(until=1e9).left_s(0.0) == 0.0
