// `tools`, the one way out of a program ([CODE-02], [CODE-03], [CODE-09]). The boundary is crossed by texts
// only; who may run what is decided behind it.

const form = 'tools.call("read", {path: "a.txt"})';

// Calls that were made and have not ended, by their number. Those from `next` on wait for a place.
const open = new MapType();
const waiting = create(null);
let next = 0, made = 0, inFlight = 0, bytesInFlight = 0, closed = false;

// An error as if thrown where the program called `above`.
const failure = (Type, message, above, code) => {
  const error = new Type(message);
  captureStackTrace(error, above);
  if (code !== undefined) define(error, "code", code);
  return error;
};

const rejected = (error) => new PromiseType((_, reject) => reject(error));

const quiet = () => undefined;

// The arguments as JSON text; throws what the program is told.
const argumentsText = (name, args, above) => {
  if (args === undefined) return "{}";
  let text;
  if (typeof args === "object" && args !== null) {
    try {
      text = encode(args, `the argument of ${stringify(name)}`, quiet);
    } catch (thrown) {
      throw isRefusal(thrown) ? failure(TypeErrorType, thrown.text, above) : thrown;
    }
  }
  if (text === undefined || text[0] !== "{") {
    const got = inspect(args);
    throw failure(TypeErrorType, `the argument of ${stringify(name)} is one object, as in ${form}; ` +
      `got ${got.length > 60 ? `${sliceText(got, 0, 60)}…` : got}`, above);
  }
  return text;
};

const call = (name, args, above) => {
  let text;
  try {
    if (typeof name !== "string" || name === "") {
      throw failure(TypeErrorType, `tools.call takes the name of a tool and its arguments: ${form}`, above);
    }
    text = argumentsText(name, args, above);
    if (closed) throw failure(ErrorType, "the program has ended: it makes no more calls", above, "ended");
    if (made >= host.calls) {
      throw failure(ErrorType, `a program makes at most ${host.calls} calls, and this would be one more. ` +
        "Do the rest in another program, or use a tool that takes many items at once.", above, "limit");
    }
  } catch (error) {
    return rejected(error);
  }
  const id = made;
  made += 1;
  const entry = { __proto__: null, name: wellFormed(name), text, bytes: text.length };
  entry.error = failure(ErrorType, "", above);
  entry.promise = new PromiseType((resolve, reject) => {
    entry.resolve = resolve;
    entry.reject = reject;
  });
  mapSet(open, id, entry);
  waiting[id] = entry;
  send();
  return entry.promise;
};

// Sends what waits, in the order of the calls, while there is room for it.
const send = () => {
  while (next < made && inFlight < host.callsInFlight) {
    const entry = waiting[next];
    if (entry !== undefined) {
      if (inFlight > 0 && bytesInFlight + entry.bytes > host.argumentsBytes) return;
      if (host.send(next, entry.name, entry.text)) {
        inFlight += 1;
        bytesInFlight += entry.bytes;
      } else {
        mapDelete(open, next);
        refuseLarge(entry);
      }
      delete waiting[next];
      entry.text = "";
    }
    next += 1;
  }
};

const refuseLarge = (entry) => {
  define(entry.error, "message", `the argument of ${stringify(entry.name)} is more than ` +
    `${host.argumentsBytes} bytes as JSON. Pass less at once.`, false);
  define(entry.error, "code", "limit");
  entry.reject(entry.error);
};

// A field that a result does not have. Models guess `.stdout` or `.text`, and an undefined that is written to
// a file is worse than an error that names the fields ([CODE-19]). What the language and its libraries look
// for on any object, and whether there is an `error`, is answered as for any object.
const asked = create(null);
for (const name of Object.getOwnPropertyNames(inheritedByAll)) {
  asked[name] = Object.getOwnPropertyDescriptor(inheritedByAll, name).value;
}
asked.then = asked.toJSON = undefined;
const askedOfResult = { ...asked, __proto__: null, error: undefined, isError: undefined, inspect: undefined };
askedOfResult.toString = { toString() { return plainly(this.content); } }.toString;

const adviceFor = (content, key) => {
  const path = isName(key) ? `.${key}` : `[${stringify(key)}]`;
  if (typeof content === "string") return "content is a text: r.content";
  if (isArray(content)) return `content is a list of ${content.length}: r.content`;
  if (typeof content !== "object" || content === null) return `content is ${inspect(content)}`;
  if (hasOwn(content, key)) return `content has it: r.content${path}`;
  return `content is an object with the fields ${sliceText(inspect(keys(content)), 1, -1) || "(none)"}`;
};

const noSuchField = (_, key, result) => {
  if (typeof key === "symbol") return undefined;
  if (key in askedOfResult) return askedOfResult[key];
  throw failure(TypeErrorType, `the result of a call has no field ${stringify(sliceText(key, 0, 60))}, only ` +
    `content, metadata and truncated; ${adviceFor(result.content, key)}`, noSuchField);
};

const resultKind = new ProxyType(freeze({}), { __proto__: null, get: noSuchField });

// `parsed` was made by the host out of JSON text, and nobody else holds it.
const resultOf = (parsed) => {
  if (typeof parsed !== "object" || parsed === null) return null;
  const field = (name, otherwise) => (hasOwn(parsed, name) ? parsed[name] : otherwise);
  return {
    __proto__: resultKind,
    content: field("content", null),
    metadata: field("metadata", {}),
    truncated: field("truncated", null),
  };
};

const settle = (id, code, parsed, message) => {
  const entry = mapGet(open, id);
  if (entry === undefined) return;
  mapDelete(open, id);
  inFlight -= 1;
  bytesInFlight -= entry.bytes;
  try {
    const result = resultOf(parsed);
    if (code === "ok") {
      entry.resolve(result);
    } else {
      define(entry.error, "message", message, false);
      define(entry.error, "code", code);
      define(entry.error, "tool", entry.name);
      define(entry.error, "result", result);
      entry.reject(entry.error);
    }
  } finally {
    if (!closed) send();
  }
};

// Rejections that nothing handles yet, by promise.
const unheard = new MapType();

const onRejection = (promise, reason, handled) => {
  if (handled) mapDelete(unheard, promise);
  else mapSet(unheard, promise, reason);
};

const unheardReasons = (top) => {
  const reasons = [];
  const known = mapGet(unheard, top);
  mapEach(unheard, (reason, promise) => {
    if (promise === top || (known !== undefined && reason === known)) return;
    const own = typeof reason === "object" && reason !== null ? getOwnPropertyDescriptor(reason, "code") : undefined;
    if (closed && own?.value === "ended") return;
    append(reasons, reason);
  });
  return reasons;
};

const toolNamed = (name) => {
  const named = (args) => call(name, args, named);
  return named;
};

const ownTools = freeze({
  __proto__: null,
  call: function tools_call(name, args) {
    return call(name, args, tools_call);
  },
  search: function tools_search(query, options) {
    const args = typeof query === "string" ? { __proto__: null, ...options, query } : query;
    return call("tool_search", args, tools_search);
  },
});

expose("tools", new ProxyType(ownTools, {
  __proto__: null,
  get(own, key) {
    if (hasOwn(own, key)) return own[key];
    if (typeof key === "symbol" || key in asked) return asked[key];
    return toolNamed(key);
  },
}));

// What the host holds.
return freeze({
  __proto__: null,
  settle,
  onRejection,
  unheardReasons,
  shown: (value) => wellFormed(sliceText(plainly(value), 0, shownMost)),
  // No call starts from here on; those that wait for a place never do.
  close: () => {
    closed = true;
    next = made;
  },
  // Lets go of what the program left in reach.
  empty: () => {
    mapClear(open);
    mapClear(unheard);
    const names = ownKeys(global);
    for (let at = 0; at < names.length; at++) deleteProperty(global, names[at]);
  },
  // The returned value: {text} or {kind, why}.
  finish: (value) => {
    try {
      const text = encode(value, "the returned value", host.note);
      if (text === undefined) {
        host.note("the program returned nothing, which became null: `return value` gives a result");
        return { __proto__: null, text: "null" };
      }
      if (text.length > host.valueBytes) {
        refuse("value", `the returned value is ${text.length} characters of JSON, more than ` +
          `${host.valueBytes} bytes. Return less: counts, a part, or what matters.`);
      }
      return { __proto__: null, text };
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      return { __proto__: null, kind: thrown.kind, why: thrown.text };
    }
  },
});
