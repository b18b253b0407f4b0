import { maxEmbeddedDepth } from "../attributes/embedded-json.ts";
import { isObject, parseLossless, type Json, type JsonObject } from "../../domain/json.ts";

const constants: Readonly<Record<string, string>> = {
  None: "null",
  True: "true",
  False: "false",
  ",]": "]",
  ",}": "}",
};
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gsu, (_, x?: string, u?: string, other = "") => {
    const code = x ?? u;
    return code === undefined ? (escapes[other] ?? other) : String.fromCodePoint(Number.parseInt(code, 16));
  });

/**
 * A text in quotation marks, a word, which the last character makes the start of a call or of an argument by name, a bracket, the start of
 * an enumeration's member (`<Role.USER: 'user'>`), or other characters.
 */
const token =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[a-z_][\w.]*[(=]?|,?\)|,[\]}]|\(|<[\w.]+: |[^'"(),<>a-z_]+|[^'"]/isuy;

/** True if the arguments of a call are named: they become an object, others a list. */
const named = /[a-z_]\w{0,99}=|\)/iuy;
const hasNames = (text: string, from: number): boolean => {
  named.lastIndex = from;
  return named.test(text);
};

/** By how many levels a bracket changes the depth of what follows it. */
const levels: Readonly<Record<string, number>> = { "[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1 };

/**
 * Parses the text (`repr`) of a Python value: lists, dicts and tuples of plain values, members of enumerations by their values, and calls
 * of constructors by their arguments. Returns null for any other text, and one that is nested too deeply.
 */
const pythonValue = (text: string): Json | null => {
  let [json, depth] = ["", 0];
  const ends: string[] = [];
  let marks = 0;
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const [part] = token.exec(text) ?? [];
    // A quotation mark without its end.
    if (part === undefined) return null;
    const isQuoted = /^['"]/u.test(part);
    for (const character of isQuoted ? "" : part) {
      depth += levels[character] ?? 0;
      if (depth > maxEmbeddedDepth) return null;
    }
    if (isQuoted) json += JSON.stringify(unescaped(part.slice(1, -1)));
    else if (part.endsWith("(")) {
      const isObject = part !== "(" && hasNames(text, token.lastIndex);
      json += isObject ? "{" : "[";
      ends.push(isObject ? "}" : "]");
    } else if (part.endsWith(")")) json += ends.pop() ?? ")";
    else if (part.endsWith("=")) json += `${JSON.stringify(part.slice(0, -1))}:`;
    else if (part.startsWith("<") && part !== "<") marks += 1;
    else if (part === ">" && marks > 0) marks -= 1;
    else json += constants[part] ?? part;
  }
  try {
    return parseLossless(json);
  } catch {
    return null;
  }
};

/** Parses the text of a Python list, dict or tuple; null for any other text. */
export const parsePython = (text: string): Json | null => (/^\s*[[({]/u.test(text) ? pythonValue(text) : null);

/** Parses the text of a Python object, `Message(role='user')`, as an object of its arguments; null for any other text. */
export const parseObject = (text: string): Json | null =>
  /^\s*[A-Z]\w{0,99}\(/u.test(text) ? pythonValue(text) : null;

/** True for the text (`repr`) of a Python object: `Event(name='x')`, `<Context object at 0x7f>`. */
export const isPythonObject = (text: string): boolean => /^(?:[A-Z]\w*\((?:\w+=|\))|<[\w.]+ object\b)/u.test(text);

const messageStart = /ChatMessage\(role=<MessageRole\.\w+: '(\w+)'>/gu;
const textStart = /TextBlock\(block_type='text', text=/gu;

/** The texts of the text blocks in a `repr`, which the end of a truncated one may lack. */
const textsIn = (repr: string): readonly string[] =>
  [...repr.matchAll(textStart)].flatMap(({ index, 0: start }) => {
    const [first] = [parsePython(`[${firstQuoted(repr.slice(index + start.length))}]`)];
    return Array.isArray(first) ? first.filter((each) => typeof each === "string" && each !== "") : [];
  });

const firstQuoted = (text: string): string => {
  token.lastIndex = 0;
  return token.exec(text)?.[0] ?? "";
};

/** Returns the messages in the `repr` of LlamaIndex's messages and events; empty if it has none, or is truncated within a text. */
export const messagesInRepr = (repr: string): readonly JsonObject[] => {
  const starts = [...repr.matchAll(messageStart)];
  return starts.flatMap(({ 1: role = "user", index }, at) => {
    const content = textsIn(repr.slice(index, starts[at + 1]?.index)).join("\n");
    return content === "" ? [] : [{ role, content }];
  });
};

/** Returns a value's texts, at any depth of lists and objects. */
export const textsOf = (value: Json): readonly string[] => {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((each: Json) => textsOf(each));
  return isObject(value) ? Object.values(value).flatMap((each) => textsOf(each)) : [];
};
