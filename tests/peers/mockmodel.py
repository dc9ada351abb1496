#!/usr/bin/env python3
"""A scripted OpenAI Chat Completions endpoint on loopback, for black-box tests of the model server.

Routes (any prefix), HTTP/1.1 with keep-alive, streamed or whole as the request asks:

    POST .../chat/completions
    GET  .../models               a list of one
    GET  /__mock/stats            what was seen; POST /__mock/reset forgets it

The reply is chosen by a scenario file from the request alone: the number of model turns already in
the conversation is the index of the turn to play (the last one repeats), so retries and several
conversations need no state. A request that offers no tools gets `side_text`.

    {"name": "two-steps", "delay_ms": 0, "side_text": "ok", "usage": {"input": 100, "output": 10},
     "turns": [{"text": "Let me look.",
                "calls": [{"name": "bash", "arguments": {"command": "echo hi{turn}"}}], "repeat": 2},
               {"calls": [{"any_of": [{"name": "read", "arguments": {"path": "x"}},
                                      {"name": "read_file", "arguments": "{broken"}]}]},
               {"text": "done"}]}

`{turn}` and `{call}` are replaced inside strings; `any_of` takes the first tool on offer; arguments
that are a string are sent as they stand. Faults (`--fault`, one of FAULTS below) break requests to
`.../chat/completions` only. `--record DIR` keeps each body byte for byte as NNNN.json and a line a
request in log.jsonl; headers and keys are never kept.

Standard library only, Python 3.9 or newer. Not here: TLS, HTTP/2, other formats.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from typing import Any, Iterator

FAULTS = {
    "429-once": "the first request gets 429 with Retry-After: 0",
    "500-once": "the first request gets 500",
    "cut-once": "the first request's connection is closed before any event",
    "cut": "every connection is closed in the middle of its stream, after the first token",
    "slow": "the events of every stream come --slow-ms apart",
    "garbage": "every stream has an event that is no JSON after the first token",
}
BODY_BYTES_MAX = 64 << 20

Call = dict[str, Any]


class Scenario:
    """Which reply belongs to which turn."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.name: str = data.get("name", "unnamed")
        self.delay: float = data.get("delay_ms", 0) / 1000
        self.side_text: str = data.get("side_text", "ok")
        self.usage: dict[str, int] = data.get("usage", {"input": 100, "output": 10})
        self.turns = [turn for turn in data["turns"] for _ in range(int(turn.get("repeat", 1)))]

    def pick(self, index: int, offered: list[str]) -> tuple[str | None, list[Call]]:
        """The text and the calls of one turn."""
        if not offered:
            return self.side_text, []
        turn = self.turns[min(index, len(self.turns) - 1)]
        calls = []
        for number, wanted in enumerate(turn.get("calls", [])):
            options = wanted.get("any_of", [wanted])
            option = next((option for option in options if option["name"] in offered), None)
            if option is None:
                names = ", ".join(offered)
                return f"mockmodel: no tool of this turn is offered; offered: {names}", []
            arguments = text_of(fill(option.get("arguments", {}), index, number))
            calls.append(
                {"id": f"call_{index}_{number}", "name": option["name"], "arguments": arguments}
            )
        return turn.get("text"), calls


def fill(value: Any, turn: int, call: int) -> Any:
    """Replaces {turn} and {call} inside strings."""
    if isinstance(value, str):
        return value.replace("{turn}", str(turn)).replace("{call}", str(call))
    if isinstance(value, dict):
        return {key: fill(item, turn, call) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, turn, call) for item in value]
    return value


def text_of(value: Any) -> str:
    """A string as it stands, another value as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def turns_done(body: dict[str, Any]) -> int:
    """Runs of assistant messages in a conversation."""
    count, before = 0, ""
    for message in body.get("messages") or []:
        role = message.get("role", "")
        count += role == "assistant" and before != "assistant"
        before = role
    return count


def halves(text: str) -> list[str]:
    """A text in up to two pieces."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def usage_of(usage: dict[str, int]) -> dict[str, int]:
    return {
        "prompt_tokens": usage["input"],
        "completion_tokens": usage["output"],
        "total_tokens": usage["input"] + usage["output"],
    }


def stream(
    head: dict[str, Any], text: str | None, calls: list[Call], usage: dict[str, int]
) -> Iterator[str]:
    """The data of each event."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return text_of({**head, "object": "chat.completion.chunk", "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in halves(text or ""):
        yield chunk({"content": piece})
    for index, call in enumerate(calls):
        function = {"name": call["name"], "arguments": ""}
        start = {"index": index, "id": call["id"], "type": "function", "function": function}
        yield chunk({"tool_calls": [start]})
        for piece in halves(call["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if calls else "stop")
    last = {"object": "chat.completion.chunk", "choices": [], "usage": usage_of(usage)}
    yield text_of({**head, **last})
    yield "[DONE]"


def whole(
    head: dict[str, Any], text: str | None, calls: list[Call], usage: dict[str, int]
) -> dict[str, Any]:
    """The reply to a request that does not stream."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for call in calls
        ]
    finish = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    reply = {"object": "chat.completion", "choices": [choice], "usage": usage_of(usage)}
    return {**head, **reply}


class Cut(Exception):
    """The connection is to be closed now."""


class Server:
    """The HTTP side: reads requests, plays the scenario, breaks what a fault says."""

    def __init__(self, scenario: Scenario, options: argparse.Namespace) -> None:
        self.scenario = scenario
        self.fault: str | None = options.fault
        self.slow: float = options.slow_ms / 1000
        self.record: str | None = options.record
        self.seen: list[dict[str, Any]] = []
        if self.record:
            os.makedirs(self.record, exist_ok=True)

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, Cut):
            while True:
                line, headers, raw = await read_request(reader)
                method, target, _ = line.split(" ", 2)
                await self.answer(writer, method, target.split("?")[0], headers, raw)
                await writer.drain()
                if headers.get("connection", "").lower() == "close":
                    break
        writer.close()

    async def answer(
        self,
        writer: asyncio.StreamWriter,
        method: str,
        path: str,
        headers: dict[str, str],
        raw: bytes,
    ) -> None:
        if path == "/__mock/stats":
            send(writer, {"scenario": self.scenario.name, "requests": self.seen})
        elif path == "/__mock/reset":
            self.seen = []
            send(writer, {"ok": True})
        elif method == "GET" and path.endswith("/models"):
            send(writer, {"object": "list", "data": [{"id": "mock", "object": "model"}]})
        elif method == "POST" and path.endswith("/chat/completions"):
            await self.chat(writer, headers, raw)
        else:
            message = f"mockmodel: no such route {method} {path}"
            send(writer, {"error": {"message": message, "type": "not_found"}}, "404 Not Found")

    async def chat(
        self, writer: asyncio.StreamWriter, headers: dict[str, str], raw: bytes
    ) -> None:
        body = json.loads(raw or b"{}")
        offered = [tool["function"]["name"] for tool in body.get("tools") or []]
        index = turns_done(body)
        text, calls = self.scenario.pick(index, offered)
        number = len(self.seen)
        called = [call["name"] for call in calls]
        self.note(raw, headers, {"turn": index, "offered": offered, "called": called})
        if number == 0:
            if self.fault == "cut-once":
                raise Cut
            if self.fault == "429-once":
                error = {"message": "slow down", "code": "rate_limit_exceeded"}
                return send(writer, {"error": error}, "429 Too Many Requests", "retry-after: 0\r\n")
            if self.fault == "500-once":
                error = {"message": "try again", "type": "server_error"}
                return send(writer, {"error": error}, "500 Internal Server Error")
        await asyncio.sleep(self.scenario.delay)
        head = {"id": f"mock_{number}", "created": int(time.time()), "model": body.get("model")}
        if body.get("stream"):
            await self.stream(writer, stream(head, text, calls, self.scenario.usage))
        else:
            send(writer, whole(head, text, calls, self.scenario.usage))

    async def stream(self, writer: asyncio.StreamWriter, events: Iterator[str]) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )
        for number, data in enumerate(events):
            if number == 2 and self.fault == "cut":
                await writer.drain()
                raise Cut
            if number == 2 and self.fault == "garbage":
                data = "<html>not a model</html>"
            if self.fault == "slow":
                await writer.drain()
                await asyncio.sleep(self.slow)
            event = f"data: {data}\n\n".encode()
            writer.write(b"%x\r\n%s\r\n" % (len(event), event))
        writer.write(b"0\r\n\r\n")

    def note(self, raw: bytes, headers: dict[str, str], reply: dict[str, Any]) -> None:
        row = {
            "n": len(self.seen),
            "t": time.monotonic(),
            "body_bytes": len(raw),
            "has_key": "authorization" in headers,
            **reply,
        }
        self.seen.append(row)
        if self.record:
            with open(os.path.join(self.record, f"{row['n']:04d}.json"), "wb") as body:
                body.write(raw)
            with open(os.path.join(self.record, "log.jsonl"), "a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")


async def read_request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    """Request line, headers by lower-case name, body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head.split("\r\n")
    pairs = (header.partition(":") for header in rest if header)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return line, headers, await reader.readexactly(int(headers.get("content-length", 0)))
    body = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return line, headers, body


def send(
    writer: asyncio.StreamWriter, value: Any, status: str = "200 OK", headers: str = ""
) -> None:
    data = json.dumps(value).encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}"
    writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)


async def main() -> None:
    faults = "; ".join(f"{name}: {what}" for name, what in FAULTS.items())
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenario", required=True, help="the file with the turns")
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--port-file", help="the port is written here once listening")
    parser.add_argument("--record", help="folder for request bodies and log.jsonl")
    parser.add_argument("--fault", choices=FAULTS, help=faults)
    parser.add_argument("--slow-ms", type=float, default=200, help="wait of --fault slow")
    options = parser.parse_args()
    with open(options.scenario, encoding="utf-8") as file:
        server = Server(Scenario(json.load(file)), options)
    listener = await asyncio.start_server(
        server.client, "127.0.0.1", options.port, limit=BODY_BYTES_MAX
    )
    port = listener.sockets[0].getsockname()[1]
    if options.port_file:
        with open(options.port_file + ".tmp", "w", encoding="utf-8") as file:
            file.write(str(port))
        os.replace(options.port_file + ".tmp", options.port_file)
    print(f"mockmodel: http://127.0.0.1:{port}/v1", file=sys.stderr, flush=True)
    await listener.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
