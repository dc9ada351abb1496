"""Made-up sentences of the field: what tools say of themselves and what people ask for, out of the lists in `phrases.txt`.

Packages are described in the language of their makers. People who ask use other words ("what changed in this folder
since yesterday"), and a table that never saw both together cannot bring them together. Nothing here comes from a set
that the search is measured with.
"""
import os, random, re

TOOL = [
    "{do} {thing}", "{do} {thing} {where}", "{do} {thing} by {key}", "{do} one or more {thing}", "{do} {thing} and return {part}",
    "{do} the {part} of {thing}", "Tool to {do} {thing} {where}", "{do} {thing}, optionally with its {part}",
    "{do} or {do2} {thing}", "{do} all {thing} that match a {key}", "{do} {thing} of the current user", "{do} {part} for {thing} {where}",
]
ASK = [
    "{do} {thing}", "please {do} {thing} {where}", "can you {do} {thing} for me", "how do I {do} {thing} {where}", "I want to {do} {thing}",
    "I need to {do} {thing} {where}", "help me {do} {thing} {when}", "show me {thing} {where}", "what is the {part} of {thing}",
    "which {thing} did we {do} {when}", "what {thing} are there {where}", "where can I find {thing}", "is there any {thing} {where}",
    "tell me about {thing} {when}", "let's {do} {thing} {when}", "find out the {part} of {thing}", "who changed {thing} {when}",
    "{do} {thing} {when} and then {do2} it", "could you quickly {do} {thing}", "we have to {do} {thing} before {do2} it",
    "give me the {part} and the {key} of {thing}", "how many {thing} are {where}", "have a look at {thing} {where} and {do2} what is wrong",
    "{do} everything about {thing} {when}", "I would like to know the {part} of {thing} {when}", "make sure that {thing} is there, then {do2} it",
    "remind me to {do} {thing} {when}", "my {thing} has no {part}, can you {do2} it", "we no longer need {thing}, {do2} it",
]
PARTS = ["name", "size", "content", "status", "owner", "history", "metadata", "list", "details", "summary", "date", "permissions", "settings", "number", "links", "type", "text", "version"]
KEYS = ["id", "name", "path", "pattern", "date", "keyword", "label", "user", "url", "status", "query", "type"]
WHEN = ["today", "yesterday", "last week", "since Monday", "this month", "right now", "tomorrow morning", "every day at nine", "in the last hour", "before the release", "again", "next quarter", "recently"]


def domains(path=os.path.join(os.path.dirname(os.path.abspath(__file__)), "phrases.txt")):
    """Paragraphs of three lines: what is done; with what; where."""
    for paragraph in open(path, encoding="utf-8").read().split("\n\n"):
        rows = [it for it in paragraph.strip().split("\n") if it and not it.startswith("#")]
        if rows:
            yield tuple([word.strip() for word in row.split(",")] for row in rows)


def made(count, seed=1):
    """So many sentences, each domain as often as the others."""
    pick = random.Random(seed)
    every = list(domains())
    for number in range(count):
        do, thing, where = every[number % len(every)]
        frame = pick.choice(TOOL if pick.random() < 0.45 else ASK)
        text = frame.format(
            do=pick.choice(do), do2=pick.choice(do), thing=pick.choice(thing), where=pick.choice(where),
            part=pick.choice(PARTS), key=pick.choice(KEYS), when=pick.choice(WHEN),
        )
        yield text[0].upper() + text[1:] if frame[0] == "{" and pick.random() < 0.5 else text


FRAMES = ["{}", "please {}", "how can I {}", "I want to {}", "can you {}", "{} for me", "I have to {} now", "which tool can {}", "help me to {}", "is it possible to {}"]


def requests(sentences, count, seed=2):
    """What operations say of themselves ("Deletes a page."), as somebody would ask for it ("can you delete a page")."""
    pick = random.Random(seed)
    for text in sentences:
        found = re.match(r"([A-Z][a-z]+?)(e?s) ((?:an?|the|all|one|your|information|details|this|any|new|some) .{4,90}?)\.?$", text)
        if not found:
            continue
        stem, end, rest = found.groups()
        verb = (stem if end == "s" or re.search(r"(ch|sh|ss|x|o)$", stem) else stem + "e").lower()
        verb = re.sub(r"ie$", "y", verb)
        count -= 1
        if count < 0:
            return
        yield pick.choice(FRAMES).format(f"{verb} {rest[0].lower()}{rest[1:]}")


AROUND = ["find {}", "a tool for {}", "show me {}", "information about {}", "list of {}", "what is {}", "search {}", "get the {}", "my {}", "check {}", "{} service", "how to {}"]
TOGETHER = ["{} and {}", "the {} of a {}", "{} {}", "{} with {}", "{} for {}", "find {} by {}", "{} in {}"]


def around(words, others):
    """Two short sentences of each word, so that words that are in no other sentence are still fitted among others."""
    for word in words:
        pick = random.Random(word)  # of the word alone: what was encoded stays of use when the list changes
        yield pick.choice(AROUND).format(word)
        yield pick.choice(TOGETHER).format(word, pick.choice(others))
