// Drives @utcp/code-mode for PERF-06. Asks come on standard input, a line each: a program's kind and its
// number of calls. Each answer is a line of JSON: the microseconds from the program's text to its result.
//
// The one tool, `echo`, is a function of this process: no gate, no receipt, no other process. The client's
// line of log for each call is off. A call is synchronous there, so `Promise.all` overlaps nothing.
//
// Not here: rounds, medians, goals. They are the bench's.

import { createInterface } from "node:readline";
import { CallTemplateSerializer, CommunicationProtocol } from "@utcp/sdk";
import { CodeModeUtcpClient } from "@utcp/code-mode";

const TEMPLATE = { name: "bench", call_template_type: "in_process" };

/** Programs by kind; each gives the number of its calls that came back right. */
const PROGRAMS = {
  empty: () => "return 0",
  cold: () => "return 0",
  sequential: (calls) => `let n = 0;
    for (let i = 0; i < ${calls}; i++) {
      if ((await bench.echo({ text: "x" })) === "x") n += 1;
    }
    return n;`,
  all: (calls) => `const all = await Promise.all(
      Array.from({ length: ${calls} }, async () => bench.echo({ text: "x" })));
    return all.filter((text) => text === "x").length;`,
};

/** A tool that is a function of this process. */
class InProcess extends CommunicationProtocol {
  async registerManual(_client, template) {
    const text = { type: "string" };
    const tool = {
      name: "echo",
      description: "Give a text back.",
      tags: [],
      inputs: { type: "object", properties: { text }, required: ["text"] },
      outputs: text,
      tool_call_template: template,
    };
    return { manualCallTemplate: template, manual: { tools: [tool] }, success: true, errors: [] };
  }

  async callTool(_client, _name, args) {
    return args.text;
  }
}

const asItIs = { toDict: (it) => ({ ...it }), validateDict: (it) => it, copy: (it) => ({ ...it }) };
CallTemplateSerializer.registerCallTemplate(TEMPLATE.call_template_type, asItIs);
CommunicationProtocol.communicationProtocols[TEMPLATE.call_template_type] = new InProcess();
console.log = () => {};

async function open() {
  const client = await CodeModeUtcpClient.create();
  await client.registerManual({ ...TEMPLATE });
  return client;
}

async function measure(warm, kind, calls) {
  const program = PROGRAMS[kind](calls);
  const start = process.hrtime.bigint();
  // Cold is a new client; the isolate is new in each program.
  const client = kind === "cold" ? await open() : warm;
  const { result, logs } = await client.callToolChain(program);
  const us = Number(process.hrtime.bigint() - start) / 1e3;
  if (result !== calls) throw new Error(`${kind} ${calls} gave ${result}: ${logs.join("; ")}`);
  return us;
}

const warm = await open();
for await (const line of createInterface({ input: process.stdin })) {
  const [kind, calls] = line.split(" ");
  process.stdout.write(`${JSON.stringify({ us: await measure(warm, kind, Number(calls)) })}\n`);
}
