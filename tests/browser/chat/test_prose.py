"""What the page makes of the Markdown that answers are written in."""

import pytest
from playwright.async_api import BrowserContext

from examples.chat.story.stage import Stage
from tests.browser.chat.chat_tab import ChatTab
from tests.browser.marks import IN_CHROMIUM

pytestmark = IN_CHROMIUM

#: Shows a text, in one piece or as it grows, and tells what is there then.
SHOW = """async ([text, grows]) => {
    const { Prose } = await import("/prose.js");
    const element = document.createElement("div");
    const prose = new Prose(element);
    if (grows) for (let end = 1; end <= text.length; end += 1) prose.show(text.slice(0, end), true);
    prose.show(text);
    return element.innerHTML;
}"""

#: How many milliseconds that takes.
TOOK = f"""async (text) => {{
    const began = performance.now();
    await ({SHOW})([text, false]);
    return performance.now() - began;
}}"""
CODE = '<pre tabindex="0" role="group" aria-label="Code{}"><code>{}</code></pre>'
TABLE = '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>{}</table></div>'
LINK = '<a href="{0}" target="_blank" rel="noopener noreferrer">{1}</a>'
CASES = {
    "One.\nTwo.\n\nThree.": "<p>One.<br>Two.</p><p>Three.</p>",
    "a **b `c` d** *e* 2 * 3": "<p>a <strong>b <code>c</code> d</strong> <em>e</em> 2 * 3</p>",
    "a_b_c and __init__, f(*args, **more)": "<p>a_b_c and __init__, f(*args, **more)</p>",
    "**A title**\n\nText": '<p class="title"><strong>A title</strong></p><p>Text</p>',
    "**Strong** and not": "<p><strong>Strong</strong> and not</p>",
    "## A `b`\nText": "<h4>A <code>b</code></h4><p>Text</p>",
    "To do:\n- a\n- **b**\n  1. c\n  2. d\n\n- e\n\nText": (
        "<p>To do:</p><ul><li>a</li><li><strong>b</strong><ol><li>c</li><li>d</li></ol></li><li>e</li></ul><p>Text</p>"
    ),
    "3. a\n   b\n4) c": '<ol start="3"><li>a<br>b</li><li>c</li></ol>',
    "```python\nif a < b:\n\n    # no title\n```\nText": (
        CODE.format(" python", "if a &lt; b:\n\n    # no title") + "<p>Text</p>"
    ),
    "~~~\n<b>": CODE.format("", "&lt;b&gt;"),
    "> a\n> b\n\n---": "<blockquote>a<br>b</blockquote><hr>",
    "| a | b |\n|---|---|\n| `c` | |": TABLE.format(
        "<thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>c</code></td><td></td></tr></tbody>"
    ),
    "[a](https://b.example/?c=d), https://e.example.": (
        f"<p>{LINK.format('https://b.example/?c=d', 'a')}, {LINK.format('https://e.example', 'https://e.example')}.</p>"
    ),
    "[a](javascript:alert(1)) [b](data:x)": "<p>[a](javascript:alert(1)) [b](data:x)</p>",
    "<script>alert(1)</script> <img src=x>": "<p>&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x&gt;</p>",
    "** ` * [ ] | #": "<p>** ` * [ ] | #</p>",
    "": "",
}


async def test_markdown_looks_as_it_is_meant(context: BrowserContext, offline: Stage) -> None:
    tab = ChatTab(await context.new_page(), offline.chat.url)
    await tab.open()
    for grows in (False, True):
        for text, expected in CASES.items():
            made = await tab.page.evaluate(SHOW, [text, grows])
            assert made.replace(' class=""', "") == expected, grows
    assert tab.errors == []


@pytest.mark.parametrize("sign", ["*", "`", "**a ", "`a", "[", "[a](", "> ", "| ", "- ", "- a\n", "a\n\n", "https://"])
async def test_no_text_holds_up_the_page(context: BrowserContext, offline: Stage, sign: str) -> None:
    tab = ChatTab(await context.new_page(), offline.chat.url)
    await tab.open()
    assert await tab.page.evaluate(TOOK, sign * 10_000) < 1_000


async def test_lists_may_be_as_deep_as_one_likes(context: BrowserContext, offline: Stage) -> None:
    tab = ChatTab(await context.new_page(), offline.chat.url)
    await tab.open()
    deep = "\n".join(" " * depth + "- a" for depth in range(1_000))
    assert (await tab.page.evaluate(SHOW, [deep, False])).count("<ul>") == 8
