// What `console` writes: texts as they are, anything else as compact, bounded, JSON-like text. Showing a
// value never throws, and runs no getter of an object that is no error.

const shownMost = 16_384; // characters of one value
const itemsMost = 100; // of one list, object, map or set
const levelsMost = 6;

const inspect = (top) => {
  let left = shownMost;
  const above = create(null);

  const take = (text) => {
    if (text.length > left) text = `${sliceText(text, 0, left)}…`;
    left -= text.length;
    return text;
  };

  // `[a, b]`: `one(index)` writes one item.
  const items = (open, count, one, close) => {
    let text = take(open);
    for (let at = 0; at < count && left > 0; at++) {
      if (at > 0) text += take(", ");
      if (at === itemsMost) {
        text += take(`… ${count - at} more`);
        break;
      }
      text += one(at);
    }
    return text + close;
  };

  const property = (holder, key, level) => {
    const found = getOwnPropertyDescriptor(holder, key);
    if (found === undefined) return take("undefined");
    return hasOwn(found, "value") ? show(found.value, level) : take("[getter]");
  };

  const fields = (value, level) => {
    const names = keys(value);
    return items("{", names.length, (at) => {
      const name = names[at];
      return take(isName(name) ? `${name}: ` : `${stringify(sliceText(name, 0, shownMost))}: `)
        + property(value, name, level + 1);
    }, "}");
  };

  const collected = (each, value, withKeys) => {
    const found = [];
    let count = 0;
    each(value, (item, key) => {
      count += 1;
      if (count <= itemsMost + 1) append(found, withKeys ? [key, item] : item);
    });
    define(found, "count", count, false);
    return found;
  };

  const object = (value, level) => {
    for (let at = 0; at < level; at++) if (above[at] === value) return take("[circular]");
    if (level >= levelsMost) return take(isArray(value) ? "[…]" : "{…}");
    above[level] = value;
    const kind = kindOf(value);
    switch (kind) {
      case "Promise": return take("Promise (not awaited)");
      case "Error": return take(errorText(value));
      case "Date": {
        const time = dateNumber(value);
        return take(time - time === 0 ? dateText(value) : "Invalid Date");
      }
      case "RegExp": return take(regExpText(value));
      case "BigInt": return take(`${bigIntOf(value)}n`);
      case "Map": {
        const found = collected(mapEach, value, true);
        return items(`Map(${found.count}) {`, found.count,
          (at) => `${show(found[at][0], level + 1)} => ${show(found[at][1], level + 1)}`, "}");
      }
      case "Set": {
        const found = collected(setEach, value, false);
        return items(`Set(${found.count}) {`, found.count, (at) => show(found[at], level + 1), "}");
      }
      case "ArrayBuffer":
      case "DataView":
        return `${kind} ${show(bytesOf(kind, value), level + 1)}`;
      case "iterator": return take("[iterator]");
      case "weak": return take(sliceText(tagOf(value), 8, -1));
      case "numbers":
        return items(`${typedKind(value)} [`, value.length, (at) => show(value[at], level + 1), "]");
      default:
        if (isArray(value)) return items("[", value.length, (at) => property(value, `${at}`, level + 1), "]");
        return fields(value, level);
    }
  };

  const show = (value, level) => {
    if (left <= 0) return "";
    switch (typeof value) {
      case "string": return take(stringify(sliceText(value, 0, left)));
      case "bigint": return take(`${value}n`);
      case "symbol": return take(symbolText(value));
      case "function": return take("[function]");
      case "object": return value === null ? take("null") : object(value, level);
      default: return take(`${value}`);
    }
  };

  try {
    return show(top, 0);
  } catch {
    return "[a value that cannot be shown]";
  }
};

const errorText = (error) => {
  const { name, message } = error;
  return message === "" ? textOf(name) : `${textOf(name)}: ${textOf(message)}`;
};

const plainly = (value) => (typeof value === "string" ? value : inspect(value));

// `console.log("%s of %d", a, b)`, as everywhere: the arguments from `used` on were not part of it.
const formatted = (args) => {
  const pattern = args[0];
  let text = "", from = 0, used = 1;
  for (;;) {
    const at = indexIn(pattern, "%", from);
    if (at < 0 || at + 1 >= pattern.length) break;
    const verb = pattern[at + 1];
    const known = indexIn("sdifjoOc", verb) >= 0 && used < args.length;
    text += sliceText(pattern, from, at);
    if (known && verb !== "c") text += plainly(args[used]);
    if (!known) text += verb === "%" ? "%" : `%${verb}`;
    if (known) used += 1;
    from = at + 2;
  }
  return { __proto__: null, text: text + sliceText(pattern, from), used };
};

let logIsFull = false;

const write = (level, args) => {
  if (logIsFull) return void host.log(level, "");
  let text = "", at = 0;
  if (args.length > 1 && typeof args[0] === "string" && args[0].length <= shownMost) {
    const head = formatted(args);
    text = head.text;
    at = head.used;
  } else if (args.length > 0) {
    text = sliceText(plainly(args[0]), 0, host.logBytes);
    at = 1;
  }
  for (; at < args.length && text.length < host.logBytes; at++) {
    text += ` ${sliceText(plainly(args[at]), 0, host.logBytes)}`;
  }
  logIsFull = !host.log(level, wellFormed(sliceText(text, 0, host.logBytes)));
};

const consoleOf = () => {
  const made = {};
  const method = (name, level) => define(made, name, { [name]: (...args) => write(level, args) }[name]);
  for (const name of ["log", "info", "warn", "error", "debug"]) method(name, name);
  for (const name of ["dir", "table", "trace"]) method(name, "log");
  return freeze(made);
};

expose("console", consoleOf());
