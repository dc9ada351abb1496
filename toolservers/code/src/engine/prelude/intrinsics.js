// What the rest of the prelude needs of the language, taken before the program can change it (CM-04, Q9).
// The files of the prelude are joined into one function, in this order: intrinsics, values, inspect, tools.
// A rule for all of them: no method of a value is called, no list is grown by `[i] =` or `push`, nothing is
// iterated with `of`, and nothing is set by `=` on an object with a prototype. Each of these looks up what
// the program may have replaced.
"use strict";

const uncurried = Function.prototype.bind.bind(Function.prototype.call);
const getter = (prototype, name) => uncurried(Object.getOwnPropertyDescriptor(prototype, name).get);

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { create, freeze, hasOwn, keys, setPrototypeOf } = Object;
const { isArray } = Array;
const { stringify } = JSON;
const { captureStackTrace } = Error;
const ErrorType = Error;
const TypeErrorType = TypeError;
const MapType = Map;
const PromiseType = Promise;
const ProxyType = Proxy;
const Bytes = Uint8Array;
const textOf = String;
const inheritedByAll = Object.prototype;
const global = globalThis;

const tagOf = uncurried(Object.prototype.toString);
const copyList = uncurried(Array.prototype.slice);
const sliceText = uncurried(String.prototype.slice);
const indexIn = uncurried(String.prototype.indexOf);
const wellFormed = uncurried(String.prototype.toWellFormed);
const matches = uncurried(RegExp.prototype.exec);
const regExpText = uncurried(RegExp.prototype.toString);
const symbolText = uncurried(Symbol.prototype.toString);
const bigIntOf = uncurried(BigInt.prototype.valueOf);
const dateNumber = uncurried(Date.prototype.getTime);
const dateText = uncurried(Date.prototype.toISOString);
const mapGet = uncurried(Map.prototype.get);
const mapSet = uncurried(Map.prototype.set);
const mapDelete = uncurried(Map.prototype.delete);
const mapClear = uncurried(Map.prototype.clear);
const mapEach = uncurried(Map.prototype.forEach);
const mapSize = getter(Map.prototype, "size");
const setEach = uncurried(Set.prototype.forEach);
const setSize = getter(Set.prototype, "size");
const typedKind = getter(getPrototypeOf(Bytes.prototype), Symbol.toStringTag);
const bufferSize = getter(ArrayBuffer.prototype, "byteLength");
const viewBuffer = getter(DataView.prototype, "buffer");
const viewOffset = getter(DataView.prototype, "byteOffset");
const viewSize = getter(DataView.prototype, "byteLength");

// Shared memory and code that runs when memory is collected are of no use to a program of one thread. A
// formatter of stack traces would be handed the prelude's own functions.
for (const name of ["SharedArrayBuffer", "Atomics", "WeakRef", "FinalizationRegistry"]) {
  deleteProperty(global, name);
}
deleteProperty(Error, "prepareStackTrace");

const define = (object, key, value, enumerable = true) =>
  defineProperty(object, key, { __proto__: null, value, enumerable, writable: true, configurable: true });

const append = (list, item) => define(list, list.length, item);

// A global that the program can neither change nor take away.
const expose = (name, value) =>
  defineProperty(global, name, {
    __proto__: null, value, enumerable: false, writable: false, configurable: false,
  });

const isA = (brand, value) => {
  try {
    brand(value);
    return true;
  } catch {
    return false;
  }
};

// Which built-in kind an object is. The name that it gives itself is a first guess, the brand decides.
const kindOf = (value) => {
  const tag = tagOf(value);
  switch (tag) {
    case "[object Object]":
    case "[object Array]":
      return "";
    case "[object Error]": return "Error";
    case "[object Promise]": return host.isPromise(value) ? "Promise" : "";
    case "[object Map]": return isA(mapSize, value) ? "Map" : "";
    case "[object Set]": return isA(setSize, value) ? "Set" : "";
    case "[object Date]": return isA(dateNumber, value) ? "Date" : "";
    case "[object RegExp]": return "RegExp";
    case "[object BigInt]": return isA(bigIntOf, value) ? "BigInt" : "";
    case "[object ArrayBuffer]": return isA(bufferSize, value) ? "ArrayBuffer" : "";
    case "[object DataView]": return isA(viewSize, value) ? "DataView" : "";
    case "[object WeakMap]":
    case "[object WeakSet]":
      return "weak";
    case "[object Generator]":
    case "[object AsyncGenerator]":
      return "iterator";
    default:
      if (typedKind(value) !== undefined) return "numbers";
      return sliceText(tag, -9) === "Iterator]" || tag === "[object Iterator Helper]" ? "iterator" : "";
  }
};

const bytesOf = (kind, value) =>
  kind === "DataView" ? new Bytes(viewBuffer(value), viewOffset(value), viewSize(value)) : new Bytes(value);
