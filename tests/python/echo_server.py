"""A tool server in Python, to copy: the contract needs no Rust.

One file, `grpcio` and the standard library. Four tools: `pyecho` answers with its text (and still
takes calls by its old name `py_say`), `pylines` sends output under the kernel's credit, `pysleep` can
be told to stop, `pynest` asks the kernel for another tool. With `--manifest` it prints what `Describe`
would say and starts nothing. README.md beside it tells how it is configured and what each part must do.

Invariants: no tool runs before its grant was checked; `Accepted` comes first and at once,
`Completed` last and once; one call that waits for credit stops only itself.

Not here: blobs (arguments and results of more than 256 KiB), listening for other hosts.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import sys
import threading
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc.aio

sys.path.insert(0, str(Path(__file__).parent / "gen"))

from tollgate.tool.v1 import grant_pb2, manifest_pb2, session_pb2, tool_server_pb2  # noqa: E402
from tollgate.tool.v1 import content_pb2, tool_server_pb2_grpc  # noqa: E402

PROTOCOL = 1
DOMAIN = b"tollgate.grant.v1\0"
LINE_BYTES_MAX = 64 * 1024
FRAME_BYTES_MAX = 320 * 1024
CLAIMS_BYTES_MAX = 16 * 1024
OUTPUT_BYTES_MAX = 64 * 1024
OUTPUT_CREDIT_BYTES = 256 * 1024
GRANT_AHEAD_MS = 600_000
FRAMES_WAITING = 64

Completed = session_pb2.Completed
ServerFrame = session_pb2.ServerFrame
Arguments = dict[str, Any]


class Rejected(Exception):
    """The contract was broken, and nothing ran."""

    def __init__(self, reason: int, why: str) -> None:
        super().__init__(why)
        self.reason = reason


# ---- tools -------------------------------------------------------------------------------------


async def pyecho(arguments: Arguments, call: Call) -> str:
    return f"{arguments['text']} (from Python, for {call.context.caller_name})"


async def py_say(arguments: Arguments, call: Call) -> str:
    """An old name of `pyecho`: its handler takes the old arguments, and nobody rewrites them."""
    return await pyecho({"text": arguments["message"]}, call)


async def pylines(arguments: Arguments, call: Call) -> str:
    line = b"%07d " + b"x" * 55 + b"\n"
    for first in range(0, arguments["lines"], 1000):
        numbers = range(first, min(first + 1000, arguments["lines"]))
        await call.output(b"".join(line % number for number in numbers))
    return f"{arguments['lines']} lines"


async def pysleep(arguments: Arguments, call: Call) -> str:
    await call.progress("asleep")
    await asyncio.sleep(arguments["seconds"])
    return "slept"


async def pynest(arguments: Arguments, call: Call) -> str:
    return await call.call_tool(arguments["name"], arguments["arguments"])


def schema(properties: dict[str, str]) -> bytes:
    """An object whose properties are all required."""
    typed = {name: {"type": kind} for name, kind in properties.items()}
    closed = {"additionalProperties": False, "required": list(properties), "properties": typed}
    return json.dumps({"type": "object", **closed}).encode()


def tool(run: Callable[..., Awaitable[str]], description: str, **properties: str) -> Tool:
    """A read-only tool whose parameters are all required."""
    spec = manifest_pb2.ToolSpec(
        name=run.__name__,
        title=description.split(".")[0],
        description=description,
        search_hint="python example echo test",
        input_schema=schema(properties),
        exposure=manifest_pb2.EXPOSURE_EAGER,
        safety=manifest_pb2.Safety(read_only=True, concurrency_safe=True),
        prepare=manifest_pb2.PREPARE_NEED_NEVER,
        interrupt=manifest_pb2.INTERRUPT_CANCEL,
        result_bytes_max=100 * 1024,
        callers=[manifest_pb2.CALLER_PROGRAM, manifest_pb2.CALLER_SERVER, manifest_pb2.CALLER_CLIENT],
        host_services=[manifest_pb2.HOST_SERVICE_CALL_TOOL] if run is pynest else [],
    )
    return Tool(spec, run, spec.input_schema)


def old_name(run: Callable[..., Awaitable[str]], means: Tool, **properties: str) -> Tool:
    """A name that `means` once had. The kernel advertises it nowhere and judges its calls as `means`."""
    old = manifest_pb2.HiddenName(name=run.__name__, input_schema=schema(properties))
    means.spec.hidden_names.append(old)
    return Tool(means.spec, run, old.input_schema)


@dataclass(frozen=True)
class Tool:
    """What the manifest says, what runs, and the schema of what it takes, which its grants name."""

    spec: manifest_pb2.ToolSpec
    run: Callable[[Arguments, Call], Awaitable[str]]
    input_schema: bytes


TOOLS = {
    tool.spec.name: tool
    for tool in (
        tool(pyecho, "Answer with the text.", text="string"),
        tool(pylines, "Send lines of output.", lines="integer"),
        tool(pysleep, "Sleep for some seconds.", seconds="number"),
        tool(pynest, "Ask the kernel for another tool.", name="string", arguments="object"),
    )
}
# By every name that a call may use; the manifest lists the canonical ones.
CALLABLE = {**TOOLS, "py_say": old_name(py_say, TOOLS["pyecho"], message="string")}


# ---- grants ------------------------------------------------------------------------------------


@dataclass
class Grants:
    """Checks grants: signature first, then who and what they are for, then whether they are new."""

    key_id: str
    key: bytes
    server: str
    instance: str
    seen: dict[bytes, int] = field(default_factory=dict)

    def check(self, session: str, start: session_pb2.Start, input_schema: bytes) -> None:
        if not start.HasField("grant"):
            raise Rejected(Completed.REJECTION_GRANT_MISSING, "the call carries no grant")
        claims = self.verified(start.grant)
        now = int(time.time() * 1000)
        told = (claims.server, claims.instance, claims.session, claims.call_id, claims.attempt, claims.tool)
        here = (self.server, self.instance, session, start.call_id, start.attempt, start.tool)
        if told != here:
            raise Rejected(Completed.REJECTION_GRANT_AUDIENCE, "the grant is for another call")
        if claims.expires_unix_ms <= now:
            raise Rejected(Completed.REJECTION_GRANT_EXPIRED, "the grant has expired")
        if claims.schema_sha256 != hashlib.sha256(input_schema).digest():
            raise Rejected(Completed.REJECTION_SCHEMA_CHANGED, "the schema has changed")
        if claims.arguments_sha256 != hashlib.sha256(start.arguments).digest():
            raise Rejected(Completed.REJECTION_ARGUMENTS_DIGEST, "these arguments were not granted")
        if claims.expires_unix_ms > now + GRANT_AHEAD_MS:
            raise Rejected(Completed.REJECTION_GRANT_INVALID, "the grant holds for too long")
        self.seen = {nonce: expires for nonce, expires in self.seen.items() if expires > now}
        if claims.nonce in self.seen:
            raise Rejected(Completed.REJECTION_GRANT_REPLAYED, "the grant was used before")
        self.seen[claims.nonce] = claims.expires_unix_ms

    def verified(self, grant: grant_pb2.SignedGrant) -> grant_pb2.GrantClaims:
        """The claims, looked at only once their exact bytes are known to be the kernel's."""
        invalid = Rejected(Completed.REJECTION_GRANT_INVALID, "the signature does not fit")
        if grant.key_id != self.key_id or len(grant.claims) > CLAIMS_BYTES_MAX:
            raise invalid
        if grant.algorithm != grant_pb2.GRANT_ALGORITHM_HMAC_SHA256:
            raise invalid
        signed = DOMAIN + bytes([grant.algorithm]) + grant.claims
        if not hmac.compare_digest(hmac.digest(self.key, signed, "sha256"), grant.signature):
            raise invalid
        claims = grant_pb2.GrantClaims.FromString(grant.claims)
        if claims.key_id != grant.key_id or len(claims.nonce) != 16:
            raise invalid
        return claims


# ---- one call ----------------------------------------------------------------------------------


class Context:
    """Where a call runs and for whom."""

    def __init__(self, context: session_pb2.CallContext) -> None:
        self.roots = list(context.roots)
        self.caller_name = manifest_pb2.Caller.Name(context.caller).removeprefix("CALLER_").lower()


class Call:
    """A call's line to the kernel."""

    def __init__(self, start: session_pb2.Start, send: Callable[..., Awaitable[None]]) -> None:
        self.id = start.call_id
        self.context = Context(start.context)
        self.send = send
        self.credit = OUTPUT_CREDIT_BYTES
        self.more_credit = asyncio.Event()
        self.replies: dict[int, asyncio.Future[session_pb2.Reply]] = {}

    async def progress(self, text: str) -> None:
        await self.send(progress=session_pb2.Progress(call_id=self.id, text=text))

    async def output(self, data: bytes) -> None:
        """Sends output, and waits while the kernel grants no more. Only this call waits."""
        for first in range(0, len(data), OUTPUT_BYTES_MAX):
            piece = data[first : first + OUTPUT_BYTES_MAX]
            while self.credit < len(piece):
                self.more_credit.clear()
                await self.more_credit.wait()
            self.credit -= len(piece)
            terminal = session_pb2.Output.CHANNEL_TERMINAL
            frame = session_pb2.Output(call_id=self.id, channel=terminal, data=piece)
            await self.send(output=frame)

    async def call_tool(self, name: str, arguments: Arguments) -> str:
        """Asks the kernel for another tool, which its gate judges like any other call."""
        request_id = len(self.replies) + 1
        self.replies[request_id] = asyncio.get_running_loop().create_future()
        asked = session_pb2.CallToolRequest(name=name, arguments=json.dumps(arguments).encode())
        await self.send(host=session_pb2.Host(call_id=self.id, request_id=request_id, call_tool=asked))
        reply = await self.replies[request_id]
        if reply.WhichOneof("reply") != "called":
            return f"refused: {reply.refused}"
        if reply.called.ending == session_pb2.Called.ENDING_SUCCEEDED:
            return f"value: {reply.called.result.decode()}"
        return f"refused: {reply.called.message}"


def ended(call_id: str, outcome: int, effects: int, text: str, **more: Any) -> Completed:
    content = [content_pb2.ContentBlock(text=text)]
    return Completed(call_id=call_id, outcome=outcome, effects=effects, content=content, **more)


def prepared(asked: session_pb2.Prepare) -> session_pb2.Prepared:
    """What a call would do: here always what the manifest says."""
    chosen = CALLABLE.get(asked.tool)
    if chosen is None:
        no = session_pb2.Invalid(message=f"there is no tool {asked.tool}", error_class="unknown_tool")
        return session_pb2.Prepared(call_id=asked.call_id, invalid=no)
    said = session_pb2.Preparation(safety=chosen.spec.safety)
    return session_pb2.Prepared(call_id=asked.call_id, preparation=said)


# ---- one session -------------------------------------------------------------------------------


class Session:
    """The conversation with one kernel."""

    def __init__(self, server: Echo) -> None:
        self.server = server
        self.id = ""
        self.calls: dict[str, tuple[Call, asyncio.Task[None]]] = {}
        # Bounded: a kernel that does not read makes the calls wait, not the memory grow.
        self.frames: asyncio.Queue[ServerFrame | None] = asyncio.Queue(FRAMES_WAITING)

    async def send(self, **frame: Any) -> None:
        await self.frames.put(ServerFrame(**frame))

    async def read(self, incoming: AsyncIterator[session_pb2.KernelFrame]) -> None:
        """Takes frames until the kernel is gone; never waits for a call."""
        beats: asyncio.Task[None] | None = None
        try:
            async for frame in incoming:
                kind = frame.WhichOneof("frame")
                if kind == "attach" and beats is None:
                    self.id = frame.attach.session
                    beats = asyncio.create_task(self.beat(frame.attach.heartbeat_ms / 1000))
                elif kind == "start":
                    self.start(frame.start)
                elif kind == "prepare":
                    await self.send(prepared=prepared(frame.prepare))
                elif kind in ("reply", "cancel", "credit"):
                    self.tell(kind, getattr(frame, kind))
        finally:
            # A kernel that is gone leaves nothing running.
            for _, task in self.calls.values():
                task.cancel()
            if beats:
                beats.cancel()
            await self.frames.put(None)

    async def beat(self, seconds: float) -> None:
        while True:
            await self.send(heartbeat=session_pb2.Heartbeat(calls=len(self.calls)))
            await asyncio.sleep(seconds)

    def tell(self, kind: str, frame: Any) -> None:
        """A frame for a running call; one for no call is ignored."""
        call, task = self.calls.get(frame.call_id, (None, None))
        if call is None or task is None:
            return
        if kind == "cancel":
            task.cancel()
        elif kind == "credit":
            call.credit += frame.bytes
            call.more_credit.set()
        elif future := call.replies.get(frame.request_id):
            future.set_result(frame)

    def start(self, start: session_pb2.Start) -> None:
        call = Call(start, self.send)
        self.calls[start.call_id] = (call, asyncio.create_task(self.run(start, call)))

    async def run(self, start: session_pb2.Start, call: Call) -> None:
        try:
            completed = await self.outcome(start, call)
        except asyncio.CancelledError:
            completed = ended(call.id, Completed.OUTCOME_CANCELLED, Completed.EFFECTS_NONE, "stopped")
        self.calls.pop(call.id, None)
        with contextlib.suppress(asyncio.CancelledError):
            await self.send(completed=completed)

    async def outcome(self, start: session_pb2.Start, call: Call) -> Completed:
        try:
            chosen = CALLABLE.get(start.tool)
            if chosen is None:
                raise Rejected(Completed.REJECTION_UNKNOWN_TOOL, f"there is no tool {start.tool}")
            self.server.grants.check(self.id, start, chosen.input_schema)
        except Rejected as no:
            reason = {"rejection": no.reason}
            return ended(call.id, Completed.OUTCOME_REJECTED, Completed.EFFECTS_NONE, str(no), **reason)
        fresh = session_pb2.Accepted.DISPOSITION_FRESH
        await self.send(accepted=session_pb2.Accepted(call_id=call.id, disposition=fresh))
        try:
            text = await chosen.run(json.loads(start.arguments), call)
        except Exception as error:  # noqa: BLE001 - whatever the tool does, the call ends
            text = f"{type(error).__name__}: {error}"
            return ended(call.id, Completed.OUTCOME_FAILED, Completed.EFFECTS_UNKNOWN, text)
        return ended(call.id, Completed.OUTCOME_SUCCEEDED, Completed.EFFECTS_NONE, text)


# ---- the server --------------------------------------------------------------------------------


class Echo(tool_server_pb2_grpc.ToolServerServicer):
    """`tollgate.tool.v1.ToolServer`."""

    def __init__(self, boot: dict[str, Any]) -> None:
        self.instance = str(uuid.uuid4())
        key = boot["grant_key"]
        secret = bytes.fromhex(key["hmac_sha256"])
        self.grants = Grants(key["id"], secret, boot["server"], self.instance)

    async def Hello(self, request: Any, context: Any) -> Any:  # noqa: N802
        if PROTOCOL not in request.protocols:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"this server speaks {PROTOCOL}")
        manifest = described().manifest
        return tool_server_pb2.HelloResponse(
            protocol=PROTOCOL,
            name=manifest.name,
            version=manifest.version,
            instance=self.instance,
            manifest_sha256=manifest.digest,
            calls_max=64,
            frame_bytes_max=FRAME_BYTES_MAX,
            now_unix_ms=int(time.time() * 1000),
        )

    async def Describe(self, request: Any, context: Any) -> Any:  # noqa: N802
        return described()

    async def Session(self, request_iterator: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        session = Session(self)
        reader = asyncio.create_task(session.read(request_iterator))
        try:
            while frame := await session.frames.get():
                yield frame
        finally:
            reader.cancel()

    async def GetExecution(self, request: Any, context: Any) -> Any:  # noqa: N802
        return tool_server_pb2.GetExecutionResponse()


def described() -> tool_server_pb2.DescribeResponse:
    """The manifest on one page, with its digest as `Manifest.digest` documents it."""
    manifest = manifest_pb2.Manifest(
        name="pyecho", version="0.1.0", protocol_min=PROTOCOL, protocol_max=PROTOCOL
    )
    specs = [tool.spec for tool in TOOLS.values()]
    whole = hashlib.sha256(manifest.SerializeToString(deterministic=True))
    for spec in specs:
        encoded = spec.SerializeToString(deterministic=True)
        whole.update(len(encoded).to_bytes(8, "big") + encoded)
    manifest.digest = whole.digest()
    return tool_server_pb2.DescribeResponse(manifest=manifest, tools=specs)


async def main() -> None:
    boot = json.loads(sys.stdin.buffer.readline(LINE_BYTES_MAX))
    if boot["version"] != 1:
        sys.exit(f"the bootstrap line has version {boot['version']}, this server reads version 1")
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", 2 * 1024 * 1024)])
    tool_server_pb2_grpc.add_ToolServerServicer_to_server(Echo(boot), server)
    server.add_insecure_port(f"unix:{boot['endpoint']['path']}")
    await server.start()
    loop, ends = asyncio.get_running_loop(), asyncio.Event()

    def wait_for_the_end() -> None:
        """The end of standard input is the kernel's word to drain and exit."""
        while sys.stdin.buffer.read(4096):
            pass
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(ends.set)

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    await ends.wait()
    await server.stop(grace=1)


if __name__ == "__main__":
    if "--manifest" in sys.argv[1:]:
        sys.stdout.buffer.write(described().SerializeToString(deterministic=True))
    else:
        asyncio.run(main())
