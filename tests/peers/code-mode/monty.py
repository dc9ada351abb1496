"""Drives Monty for PERF-06. Asks come on standard input, a line each: a program's kind and its number of
calls. Each answer is a line of JSON: the microseconds from the program's text to its result.

The one tool, `echo`, is a function of this process: no gate, no receipt, no other process beyond Monty's
own worker. It is called in the quickest of Monty's ways: each pause of the program is answered by hand,
which takes a quarter of the time of `feed_run(external_lookup=…)`. "all" is `asyncio.gather`.

Not here: rounds, medians, goals. They are the bench's.
"""

import json
import sys
import time

from pydantic_monty import FunctionSnapshot, Monty, MontyComplete

TOOLS = {"echo": lambda text: text}

# By default a session ends at its thousandth pause; `asyncio.gather` needs one more.
LIMITS = {"max_suspensions": 100_000}

# Programs by kind; each gives the number of its calls that came back right.
PROGRAMS = {
    "empty": "0",
    "cold": "0",
    "sequential": """\
n = 0
for i in range({calls}):
    if echo("x") == "x":
        n += 1
n
""",
    "all": """\
import asyncio
texts = await asyncio.gather(*[echo("x") for i in range({calls})])
len([text for text in texts if text == "x"])
""",
}


def run(pool, program, at_once):
    """One program in a session of its own."""
    with pool.checkout(limits=LIMITS) as session:
        pause, results = session.feed_start(program, external_lookup=TOOLS), {}
        while not isinstance(pause, MontyComplete):
            if not isinstance(pause, FunctionSnapshot):
                pause = pause.resume({call: results.pop(call) for call in pause.pending_call_ids})
                continue
            result = {"return_value": TOOLS[pause.function_name](*pause.args)}
            if at_once:
                results[pause.call_id] = result
                result = {"future": ...}
            pause = pause.resume(result)
        return pause.output


def measure(warm, kind, calls):
    """Microseconds of one program; "cold" is a new pool with its worker process."""
    program = PROGRAMS[kind].format(calls=calls)
    start = time.perf_counter()
    if kind == "cold":
        with Monty() as pool:
            result = run(pool, program, at_once=False)
            took = time.perf_counter() - start
    else:
        result = run(warm, program, at_once=kind == "all")
        took = time.perf_counter() - start
    if result != calls:
        raise SystemExit(f"{kind} {calls} gave {result!r}")
    return took * 1e6


with Monty() as warm:
    for line in sys.stdin:
        kind, calls = line.split()
        print(json.dumps({"us": measure(warm, kind, int(calls))}), flush=True)
