import { isObject, stringOrEmpty, type Json, type JsonObject } from "../../domain/json.ts";
import { messagesOf } from "../../conventions/payloads/messages.ts";
import type { Span, Trace } from "../../domain/traces/trace.ts";
import { jsonText } from "./value-text.ts";
import { numberedSpans, type NumberedSpan } from "./spans.ts";

/** A message of the user. */
export interface UserTurn {
  /** Number of the turn, from 1. */
  readonly number: number;
  readonly text: string;
  /** Message of the agent just before; empty if the trace does not record one. */
  readonly precedingReply: string;
  /** Number of the first span that has the message; null if the trace's own input has it. */
  readonly span: number | null;
}

/** The conversation between user and agent that a trace records. */
export interface Conversation {
  /** Texts of the system messages, without repetitions, in order. */
  readonly rules: readonly string[];
  /** Messages of the user over the whole trace, in order. */
  readonly turns: readonly UserTurn[];
}

interface ChatMessage {
  readonly role: string;
  readonly text: string;
}

const partText = (part: Json): string => {
  if (typeof part === "string") return part;
  if (isObject(part) && typeof part["text"] === "string") return part["text"];
  return jsonText(part);
};

const isPartList = (text: string): boolean => /^\s*\[\s*\{\s*"(?:text|type)"/u.test(text);

/** Returns a message's content as text, one part per line. */
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

/** Reads a list of messages of any provider; null for other values. */
const chatMessages = (value: readonly Json[]): readonly ChatMessage[] | null =>
  messagesOf(value)?.map(({ role, content }) => ({
    role: role === "developer" ? "system" : stringOrEmpty(role),
    text: contentText(content),
  })) ?? null;

/** Maximum nesting depth of a conversation in an input or output. */
const maxDepth = 3;

const messagesIn = (value: Json | undefined, depth = 0): readonly ChatMessage[] => {
  if (value === undefined || value === null || typeof value !== "object" || depth > maxDepth) return [];
  if (Array.isArray(value)) {
    return chatMessages(value) ?? (value.length === 1 ? messagesIn(value[0], depth + 1) : []);
  }
  if (!isObject(value)) return [];
  for (const key of ["messages", "input", "inputs", "contents", "conversation", "history", "chat_history"]) {
    const messages = messagesIn(value[key], depth + 1);
    if (messages.length > 0) return messages;
  }
  return [];
};

const systemKeys = ["system", "instructions", "system_instruction", "systemInstruction", "system_prompt"];

/** Returns the system prompts that are fields beside a conversation, such as `instructions`. */
const rulesBeside = (value: Json | JsonObject | null): readonly string[] => {
  if (!isObject(value)) return [];
  return systemKeys.flatMap((key) => {
    const field = value[key];
    const text = isObject(field) ? contentText(field["content"] ?? field["parts"]) : contentText(field);
    return text.trim() === "" ? [] : [text];
  });
};

const inputKeys = ["query", "question", "input", "prompt", "message", "text", "user_input", "task"];

/** Returns the user's request in a value that is not a conversation; empty if there is none. */
const requestIn = (value: Json): string => {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  const request = inputKeys.map((key) => value[key]).find((field) => typeof field === "string" && field !== "");
  return typeof request === "string" ? request : "";
};

/** Minimum length of a user's text to recognise it inside a longer prompt. */
const minWrappedLength = 16;
const isSameTurn = (text: string, candidate: string): boolean =>
  text === candidate || (text.length >= minWrappedLength && candidate.includes(text));

/** Max work of comparing the turns of a trace, in comparisons or 256 characters of a candidate; it takes some tenths of a second. */
const maxComparisons = 5_000_000;

/** Compares the turns of one trace; beyond `maxComparisons` none is the same as another, so that they count as another conversation. */
class TurnComparison {
  #count = 0;

  get isExhausted(): boolean {
    return this.#count >= maxComparisons;
  }

  isSame(text: string, candidate: string): boolean {
    this.#count += 1 + candidate.length / 256;
    return !this.isExhausted && isSameTurn(text, candidate);
  }
}

type TurnText = Pick<UserTurn, "text">;

/** Counts the consecutive equal turns of two lists, starting at the index `from` of the first and `start` of the second list. */
const countEqual = (
  comparison: TurnComparison,
  knownTurns: readonly TurnText[],
  from: number,
  newTurns: readonly TurnText[],
  start: number,
): number => {
  let length = 0;
  for (;;) {
    const [a, b] = [knownTurns[from + length], newTurns[start + length]];
    if (a === undefined || b === undefined || !comparison.isSame(a.text, b.text)) return length;
    length += 1;
  }
};

/**
 * Counts the leading turns of `newTurns` that are already in `knownTurns`. A negative count is minus the number of trailing turns
 * of `newTurns` that are already known; null means that the lists are different conversations.
 */
const overlap = (
  comparison: TurnComparison,
  knownTurns: readonly TurnText[],
  newTurns: readonly TurnText[],
): number | null => {
  for (let from = 0; from < knownTurns.length && !comparison.isExhausted; from += 1) {
    const length = countEqual(comparison, knownTurns, from, newTurns, 0);
    if (length > 0 && (length === newTurns.length || from + length === knownTurns.length)) return length;
  }
  if (
    newTurns.length > knownTurns.length &&
    countEqual(comparison, knownTurns, 0, newTurns, newTurns.length - knownTurns.length) === knownTurns.length
  ) {
    return -knownTurns.length;
  }
  return countEqual(comparison, knownTurns, 0, newTurns, 0) > 0 ? 1 : null;
};

/** Returns the agent's last message between the user message at an index and the user message before it. */
const replyBefore = (messages: readonly ChatMessage[], index: number): string => {
  for (let messageIndex = index - 1; messageIndex >= 0; messageIndex -= 1) {
    const { role, text } = messages[messageIndex] ?? { role: "user", text: "" };
    if (role === "user") return "";
    if (role === "assistant" && text.trim() !== "") return text;
  }
  return "";
};

/** Returns the numbers of the spans inside a tool or a sub-agent, whose messages are not the user's. */
const innerSpans = (spans: readonly NumberedSpan[]): ReadonlySet<number> => {
  const innerNumbers = new Set<number>();
  const agentNumbers = new Set<number>();
  for (const { number, parent } of spans) {
    if (parent !== null && (innerNumbers.has(parent) || spans[parent - 1]?.span.kind === "TOOL"))
      innerNumbers.add(number);
    if (parent !== null && (agentNumbers.has(parent) || spans[parent - 1]?.span.kind === "AGENT"))
      agentNumbers.add(number);
  }
  for (const { span, number } of spans) if (span.kind === "AGENT" && agentNumbers.has(number)) innerNumbers.add(number);
  return innerNumbers;
};

const maxRules = 3;

/**
 * Extracts the system messages and user turns of a trace. An agent sends its history with each model call: only new turns
 * count. Messages of role `user` inside tools and sub-agents are ignored.
 */
export const conversationOf = (
  trace: Trace,
  spans: readonly NumberedSpan[] = numberedSpans(trace.spans),
): Conversation => {
  const rules = new Set<string>();
  const turns: Omit<UserTurn, "number">[] = [];
  const innerNumbers = innerSpans(spans);
  const comparison = new TurnComparison();
  let isUserFacing = false;

  const addMessages = (
    messages: readonly ChatMessage[],
    span: number | null,
    systemPrompts: readonly string[],
  ): void => {
    const newTurns = messages.flatMap(({ role, text }, index) =>
      role === "user" && text.trim() !== "" ? [{ text, precedingReply: replyBefore(messages, index), span }] : [],
    );
    const knownCount = turns.length === 0 ? 0 : overlap(comparison, turns, newTurns);
    if (knownCount === null && newTurns.length > 0) return;
    for (const { role, text } of messages) if (role === "system" && text.trim() !== "") rules.add(text);
    for (const prompt of systemPrompts) rules.add(prompt);
    if (knownCount === null) return;
    // A later trace of a session begins in the middle of the conversation: earlier turns are put in front.
    if (knownCount < 0) turns.unshift(...newTurns.slice(0, knownCount));
    else turns.push(...newTurns.slice(knownCount));
  };

  const inputMessages = messagesIn(trace.input);
  if (inputMessages.length > 0) addMessages(inputMessages, null, rulesBeside(trace.input));
  else if (requestIn(trace.input).trim() !== "") {
    turns.push({ text: requestIn(trace.input), precedingReply: "", span: null });
  }
  for (const { span, number, parent } of spans) {
    if (innerNumbers.has(number)) continue;
    const messages = messagesIn(span.input);
    if (messages.length > 0) {
      addMessages(messages, number, [...rulesBeside(span.input), ...rulesBeside(span.model_parameters)]);
    } else if (isTurn(span, parent)) {
      const text = requestIn(span.input);
      const isRepeated = turns.some((turn) => comparison.isSame(turn.text, text));
      // Inputs of consecutive agents are user turns only if the first agent received the user's own text.
      isUserFacing ||= isRepeated || turns.length === 0;
      if (isUserFacing && !isRepeated) turns.push({ text, precedingReply: "", span: number });
    }
  }
  return {
    rules: [...rules].slice(0, maxRules),
    turns: turns.map(({ text, precedingReply, span }, index) => ({ number: index + 1, text, precedingReply, span })),
  };
};

/** Returns the last message of the agent in a value that is a conversation or a message; empty for other values. */
export const finalAnswer = (value: Json): string => {
  const conversation = messagesIn(value);
  const messages = conversation.length > 0 ? conversation : (chatMessages([value]) ?? []);
  return messages.findLast(({ role, text }) => role === "assistant" && text.trim() !== "")?.text ?? "";
};

/** True for a top-level agent span with a text input, which is taken for a message of the user. */
const isTurn = ({ kind, input }: Span, parent: number | null): boolean =>
  kind === "AGENT" && parent === null && requestIn(input).trim() !== "";
