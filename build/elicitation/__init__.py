"""STEP-Tag elicitation: chains of people who add, rate and flag the tags of a song, to a lexicon and its top terms.

Paper section 4.1. The rule, as data (schema CHAINS of `build.tables`, one act a row):

- A chain is one (language, song_id, chain_set, chain). Its steps are taken in the order of `step`, whose numbers only
  order: they may start anywhere and leave gaps. A step is all rows of one participant at one step number. The order of
  the rows in the table means nothing.
- The first person is shown no tags. Everyone else is shown what was kept plus what was added so far. Each person
  `rate`s the tags shown, 1 to 5, and may `flag` any of them (with or without a rating), then `add`s new ones. A person
  does not rate what they add in the same step. A tag shown that gets no answer is an answer left out, nothing worse.
- Tags are the same if `build.tables.match_key` says so (NFKC, case, white space). Variants in the sense of
  `metadata/variants` stay separate tags inside a chain: they are merged when the chains are added up.
- A tag that a third person flags leaves the chain at the end of that step, with its ratings and flags. It can come back
  only by being added again, and then starts anew, without ratings and flags.
- At most ten people take a step in a chain, nobody twice.

A failed step changes nothing: none of its acts counts. There is no column for it: a step has failed if it
contradicts the chain, and it is then left out with one of these reasons on all of its rows:

    person_again     this person has already taken a step in this chain
    chain_full       ten people have already taken theirs
    step_taken       another person at the same step number has more acts that can be read (equal: the lower number)
    tag_not_shown    it rates or flags a tag that this person was not shown

Single acts that are left out, while the rest of their step counts:

    unknown_language  the language is not asked for
    unknown_action    neither add, rate nor flag
    empty_tag         nothing but white space
    bad_rating        a rate without a whole rating of 1 to 5 (an add or a flag needs none, and none is read)
    shown_already     adds a tag that this person was shown, or adds it twice
    answered_twice    rates or flags one tag twice (the first in the order of spelling and rating counts)

Adding up, for each language over all chains of all sets:

- An occurrence is a tag that is in a chain when the chain ends: one a chain, however often it was added and however few
  rated it. In the published lists frequency counts occurrences and not ratings: means of unmerged terms are fractions
  over some six ratings an occurrence, as many as people who come later in a chain of ten.
- A tag's score is its occurrences times the mean of all ratings that its occurrences hold. A term's frequency and
  score are the sums over its variants, its mean is that of all their ratings together: for a merged term
  the score is therefore not frequency times mean.
- A tag that nobody rated has no mean: it is left out with the reason `never_rated`.
- Terms are ranked by score, ties by name; `terms` are the first n of a language.
"""

from build.elicitation.people import elicitors
from build.elicitation.terms import Elicited, acts_that_count, elicit, terms_from_chains

__all__ = ["Elicited", "acts_that_count", "elicit", "elicitors", "terms_from_chains"]
