"""What is done on the page of a long answer again and again."""

import re

START = "The Thames Tunnel, under the river in London, opened twice. "


def value(page, name):
    return page.locator(f"#{name}").input_value()


def selected(page):
    """What is selected in the text."""
    return page.locator("#long-answer").evaluate(
        "(box) => box.value.slice(box.selectionStart, box.selectionEnd)"
    )


def select_in_text(page, words):
    page.locator("#long-answer").evaluate(
        """(box, words) => {
          const at = box.value.indexOf(words);
          box.focus();
          box.setSelectionRange(at, at + words.length);
        }""",
        words,
    )


def select_in_article(page, words):
    """Select words of the article with the mouse."""
    box = page.evaluate(
        """(words) => {
          const root = document.querySelector(".article-text");
          const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf(words);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(walker.currentNode, at);
            range.setEnd(walker.currentNode, at + words.length);
            range.startContainer.parentElement.scrollIntoView({ block: "center" });
            const rects = [...range.getClientRects()], first = rects[0], last = rects.at(-1);
            return [first.left + 1, first.top + first.height / 2,
                    last.right - 1, last.top + last.height / 2];
          }
        }""",
        words,
    )
    assert box, f"not in the article: {words}"
    page.mouse.move(box[0], box[1])
    page.mouse.down()
    page.mouse.move(box[2], box[3], steps=5)
    page.mouse.up()
    page.locator("#selection-bar:popover-open").wait_for()


def read(page, title="Thames Tunnel"):
    """Open a page from the list beside the disambiguations."""
    page.locator("#disambiguations .history a", has_text=title).click()
    page.locator("#article-title", has_text=re.compile(f"^{title}$")).wait_for()


def line(page, number):
    return page.locator(f"#answer-{number}")


def sentence_of_article(page):
    """A sentence that stands on the page in one piece of text."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".article-text p")]
          .flatMap((p) => [...p.childNodes]).filter((node) => node.nodeType === 3)
          .map((node) => node.data.match(/[A-Z][^.]{30,160}\\./)?.[0]).find(Boolean)"""
    )
