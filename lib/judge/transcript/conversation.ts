import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import { jsonText } from "./shown-texts.ts";
import { placedSpans, type PlacedSpan } from "./span-order.ts";

/** Something the user said. */
export interface UserTurn {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** What the agent had said just before; empty where the record does not tell. */
  readonly before: string;
  /** Number of the span in which it is seen first; null: in the trace's own input. */
  readonly span: number | null;
}

/** A trace as a conversation. */
export interface Conversation {
  /** What the system's messages say to the agent, each text once, in order. */
  readonly rules: readonly string[];
  /** Every turn of the user over the whole record, in order. */
  readonly turns: readonly UserTurn[];
}

interface Said {
  readonly role: string;
  readonly text: string;
}

const partText = (part: Json): string => {
  if (typeof part === "string") return part;
  if (isObject(part) && typeof part["text"] === "string") return part["text"];
  return jsonText(part);
};

const isPartList = (text: string): boolean => /^\s*\[\s*\{\s*"(?:text|type)"/u.test(text);

/** A message's content as text: parts one below the other. */
const contentText = (content: Json | undefined): string => {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") {
    if (!isPartList(content)) return content;
    try {
      return contentText(JSON.parse(content));
    } catch {
      return content;
    }
  }
  return Array.isArray(content) ? content.map(partText).join("\n") : partText(content);
};

const roles: Readonly<Record<string, string>> = {
  human: "user",
  ai: "assistant",
  developer: "system",
  model: "assistant",
};

/** A chat message, in the words of the protocols: `role` and `content` or `parts`; LangChain's `type` and `data`. */
const messageIn = (value: Json): Said | null => {
  if (!isObject(value)) return null;
  const { role, type, data, content, parts } = value;
  if (typeof role === "string") return { role: roles[role] ?? role, text: contentText(content ?? parts) };
  if (typeof type !== "string" || !["human", "ai", "system", "tool"].includes(type)) return null;
  const said = isObject(data) ? data["content"] : content;
  return said === undefined ? null : { role: roles[type] ?? type, text: contentText(said) };
};

/** Values nest their conversation this deep at most. */
const deepest = 3;

const messagesIn = (value: Json | undefined, depth = 0): readonly Said[] => {
  if (value === undefined || value === null || typeof value !== "object" || depth > deepest) return [];
  if (Array.isArray(value)) {
    const said = value.map(messageIn);
    if (said.length > 0 && said.every((each) => each !== null)) return said;
    // LangChain sends a batch: a list of conversations.
    return value.length === 1 ? messagesIn(value[0], depth + 1) : [];
  }
  if (!isObject(value)) return [];
  for (const key of ["messages", "input", "inputs", "contents", "conversation", "history", "chat_history"]) {
    const found = messagesIn(value[key], depth + 1);
    if (found.length > 0) return found;
  }
  return [];
};

const ruleKeys = ["system", "instructions", "system_instruction", "systemInstruction", "system_prompt"];

/** Rules that stand beside a conversation. */
const rulesBeside = (value: Json | JsonObject | null): readonly string[] => {
  if (!isObject(value)) return [];
  return ruleKeys.flatMap((key) => {
    const given = value[key];
    const text = isObject(given) ? contentText(given["content"] ?? given["parts"]) : contentText(given);
    return text.trim() === "" ? [] : [text];
  });
};

const inputKeys = ["query", "question", "input", "prompt", "message", "text", "user_input", "task"];

/** What a value that is no conversation says of the user's wish; empty where it does not tell. */
const wishIn = (value: Json): string => {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  const found = inputKeys.map((key) => value[key]).find((each) => typeof each === "string" && each !== "");
  return typeof found === "string" ? found : "";
};

/** A prompt often wraps what the user said into words of its own. */
const shortestWrapped = 16;
const same = (known: string, seen: string): boolean =>
  known === seen || (known.length >= shortestWrapped && seen.includes(known));

type Text = Pick<UserTurn, "text">;

/** How many turns are the same from a place in each list on. */
const sharedFrom = (known: readonly Text[], from: number, seen: readonly Text[], start: number): number => {
  let length = 0;
  for (;;) {
    const [a, b] = [known[from + length], seen[start + length]];
    if (a === undefined || b === undefined || !same(a.text, b.text)) return length;
    length += 1;
  }
};

/**
 * How many of `seen` are known already at its beginning; below 0: at its end, what is before is new; null where it is another
 * conversation.
 */
const knownOf = (known: readonly Text[], seen: readonly Text[]): number | null => {
  for (let from = 0; from < known.length; from += 1) {
    const length = sharedFrom(known, from, seen, 0);
    if (length > 0 && (length === seen.length || from + length === known.length)) return length;
  }
  if (seen.length > known.length && sharedFrom(known, 0, seen, seen.length - known.length) === known.length) {
    return -known.length;
  }
  return sharedFrom(known, 0, seen, 0) > 0 ? 1 : null;
};

/** What the agent said between the user's turn before and the one at an index. */
const saidBefore = (said: readonly Said[], index: number): string => {
  for (let place = index - 1; place >= 0; place -= 1) {
    const { role, text } = said[place] ?? { role: "user", text: "" };
    if (role === "user") return "";
    if (role === "assistant" && text.trim() !== "") return text;
  }
  return "";
};

/** Spans that run in a tool or in another agent talk to somebody else than the user. */
const ofOthers = (spans: readonly PlacedSpan[]): ReadonlySet<number> => {
  const inner = new Set<number>();
  const agents = new Set<number>();
  for (const { number, parent } of spans) {
    if (parent !== null && (inner.has(parent) || spans[parent - 1]?.span.kind === "TOOL")) inner.add(number);
    if (parent !== null && (agents.has(parent) || spans[parent - 1]?.span.kind === "AGENT")) agents.add(number);
  }
  for (const { span, number } of spans) if (span.kind === "AGENT" && agents.has(number)) inner.add(number);
  return inner;
};

const mostRules = 3;

/**
 * What was said to the agent over the whole record: an agent sends its history with each call, and of that only what is new
 * counts. Messages of role user that belong to no conversation with the user (a tool's own prompts) do not.
 */
export const conversationOf = (trace: Trace, spans: readonly PlacedSpan[] = placedSpans(trace.spans)): Conversation => {
  const rules = new Set<string>();
  const turns: { text: string; before: string; span: number | null }[] = [];
  const inner = ofOthers(spans);
  let direct = false;

  const read = (said: readonly Said[], span: number | null, beside: readonly string[]): void => {
    const seen = said.flatMap((each, index) =>
      each.role === "user" && each.text.trim() !== ""
        ? [{ text: each.text, before: saidBefore(said, index), span }]
        : [],
    );
    const known = turns.length === 0 ? 0 : knownOf(turns, seen);
    if (known === null && seen.length > 0) return;
    for (const each of said) if (each.role === "system" && each.text.trim() !== "") rules.add(each.text);
    for (const rule of beside) rules.add(rule);
    if (known === null) return;
    // A trace that goes on with a session begins in the middle of its conversation.
    if (known < 0) turns.unshift(...seen.slice(0, known));
    else turns.push(...seen.slice(known));
  };

  const own = messagesIn(trace.input);
  if (own.length > 0) read(own, null, rulesBeside(trace.input));
  else if (wishIn(trace.input).trim() !== "") turns.push({ text: wishIn(trace.input), before: "", span: null });
  for (const { span, number, parent } of spans) {
    if (inner.has(number)) continue;
    const said = messagesIn(span.input);
    if (said.length > 0) read(said, number, [...rulesBeside(span.input), ...rulesBeside(span.model_parameters)]);
    else if (isTurn(span, parent)) {
      const text = wishIn(span.input);
      const known = turns.some((turn) => same(turn.text, text));
      // Agents one after the other are turns where the first was given what the user said, not words made of it.
      direct ||= known || turns.length === 0;
      if (direct && !known) turns.push({ text, before: "", span: number });
    }
  }
  return {
    rules: [...rules].slice(0, mostRules),
    turns: turns.map(({ text, before, span }, index) => ({ number: index + 1, text, before, span })),
  };
};

/** What is said last in a value that is a conversation, or one message of the agent; empty where it is neither. */
export const finalAnswer = (value: Json): string => {
  const said = messagesIn(value);
  const one = said.length > 0 ? null : messageIn(value);
  const all = one === null ? said : [one];
  return all.findLast(({ role, text }) => role === "assistant" && text.trim() !== "")?.text ?? "";
};

/** An agent at the top of the trace that is given a text is given it by the user. */
const isTurn = ({ kind, input }: Span, parent: number | null): boolean =>
  kind === "AGENT" && parent === null && wishIn(input).trim() !== "";
