// A value as JSON text, with what is not JSON told or refused by its path ([CODE-12], B115, Q8).

const refusal = freeze(create(null));
const refuse = (kind, text) => {
  throw { __proto__: refusal, kind, text };
};
const isRefusal = (thrown) =>
  typeof thrown === "object" && thrown !== null && getPrototypeOf(thrown) === refusal;

const plainName = /^[A-Za-z_$][\w$]*$/;
const isName = (text) => matches(plainName, text) !== null;

// `a.b[2]["x y"]`, or "" for the value itself. Cut: a key may be as long as the heap.
const pathText = (names, lists, level) => {
  let path = "";
  for (let at = 1; at <= level && path.length < 200; at++) {
    const name = names[at].length > 60 ? sliceText(names[at], 0, 60) + "…" : names[at];
    if (lists[at]) path += `[${name}]`;
    else if (isName(name)) path += path === "" ? name : `.${name}`;
    else path += `[${stringify(name)}]`;
  }
  return path;
};

// Reads `top` exactly once. `what` is how a refusal names it ("the returned value"); `tell(text)` gets
// each kind of change once. The text, or undefined when there is no value.
const encode = (top, what, tell) => {
  // By level, 0 being the holder of `top`: what is being written, what it was written from, its key.
  const holders = create(null), sources = create(null), names = create(null), lists = create(null);
  const told = create(null);
  let level = -1;
  const place = () => {
    const path = pathText(names, lists, level);
    return path === "" ? what : `\`${path}\` of ${what}`;
  };
  const tellOnce = (kind, text) => {
    if (told[kind]) return;
    told[kind] = true;
    tell(`${place()} ${text}`);
  };
  const enter = (value) => {
    for (let above = 1; above <= level; above++) {
      if (sources[above] === value) {
        refuse("value", `${place()} refers back to a value that holds it: a cycle is not JSON. ` +
          "Return the fields that matter.");
      }
    }
    if (level >= host.depth) {
      refuse("value", `${place()} is deeper than ${host.depth} levels. Make it flatter.`);
    }
    const plain = converted(value, place, tellOnce);
    if (typeof plain === "object" && plain !== null) {
      level += 1;
      holders[level] = plain;
      sources[level] = value;
    }
    return plain;
  };
  return stringify(top, function (key, value) {
    if (level < 0) {
      level = 0;
      holders[0] = this;
    }
    while (level > 0 && holders[level] !== this) level -= 1;
    names[level] = key;
    lists[level] = level > 0 && isArray(this);
    switch (typeof value) {
      case "object":
        if (value !== null) return enter(value);
        if (isLostDate(this, key)) tellOnce("date", "is an invalid date and became null");
        return null;
      case "number":
        if (value - value === 0) return value;
        tellOnce("number", `is ${value} and became null: JSON has no such number`);
        return null;
      case "undefined":
        if (level === 0) return undefined;
        if (lists[level]) tellOnce("hole", "is undefined and became null");
        else tellOnce("undefined", "is undefined and was left out");
        return undefined;
      case "bigint":
        tellOnce("bigint", "is a BigInt and became a text of its digits");
        return `${value}`;
      case "string": {
        const whole = wellFormed(value);
        if (whole !== value) tellOnce("half", "held half of a character, which became \ufffd");
        return whole;
      }
      case "function":
        return refuse("value", `${place()} is a function, which is not JSON. Leave it out, or call it.`);
      case "symbol":
        return refuse("value", `${place()} is a symbol, which is not JSON. Leave it out, or use a text.`);
      default:
        return value;
    }
  });
};

// JSON asks a date for its text before anybody sees it, and an invalid one answers null.
const isLostDate = (holder, key) => {
  const held = getOwnPropertyDescriptor(holder, key)?.value;
  return typeof held === "object" && held !== null && kindOf(held) === "Date";
};

// What JSON would lose, as a user would expect it.
const converted = (value, place, tellOnce) => {
  const kind = kindOf(value);
  switch (kind) {
    case "": return value;
    case "Promise":
      return refuse("not_awaited", `${place()} is a promise that was not awaited. Put \`await\` before ` +
        "the call, or `await Promise.all([…])` around several.");
    case "Map": {
      const entries = [];
      mapEach(value, (item, key) => append(entries, [key, item]));
      return entries;
    }
    case "Set": {
      const items = [];
      setEach(value, (item) => append(items, item));
      return items;
    }
    case "numbers": return copyList(value);
    case "ArrayBuffer":
    case "DataView":
      return copyList(bytesOf(kind, value));
    case "Error": {
      const { name, message, code } = value;
      const error = { __proto__: null, name: textOf(name), message: textOf(message) };
      if (typeof code === "string") error.code = code;
      return error;
    }
    case "RegExp": return regExpText(value);
    case "Date": {
      const time = dateNumber(value);
      if (time - time === 0) return dateText(value);
      tellOnce("date", "is an invalid date and became null");
      return null;
    }
    case "BigInt":
      tellOnce("bigint", "is a BigInt and became a text of its digits");
      return `${bigIntOf(value)}`;
    case "iterator":
      return refuse("value", `${place()} is an iterator, which is not JSON. Make a list of it: ` +
        "`[...it]`.");
    default:
      return refuse("value", `${place()} is a WeakMap or WeakSet, whose items cannot be listed. ` +
        "Use a Map or a Set.");
  }
};
