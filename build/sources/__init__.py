"""Where a build's input comes from: a folder in the layout of the upstream release, whoever made it.

`sample` is synthesised on the spot, `upstream` is downloaded and checked, anything else is a folder on disk. The files
are found by name anywhere below the folder; a file that is not there gives a table without rows.
"""
