"""What GlobalMood's ratings say: rater checks, reliability, agreement between cultures, and the mood space.

Pure functions over the tables of `build.tables`. Inside them NaN marks what is not defined; in a table that they
return it is null, beside a count or a reason. Only first answers (`repetition` 0) enter means and reliabilities.
"""
