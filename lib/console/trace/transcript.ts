import type { Span, Trace } from "../../client/interface.ts";
import type { Json } from "../../domain/json.ts";
import { contentParts, contentText, messagesIn, textOfValue, type ContentPart } from "../content/chat.ts";
import { jsonOf } from "../content/json.ts";
import { hasFailed } from "./span-tree.ts";

/** Entry of a trace's transcript: a message, a tool call, a failed step, or a group of steps. */
export type TranscriptEntry =
  | {
      readonly kind: "user" | "system" | "model";
      readonly text: string;
      /** Parts of the message if it is more than text: pictures and data. */
      readonly parts?: readonly ContentPart[];
      /** Span whose output has the message; null for a message of an input or of the trace. */
      readonly span: Span | null;
      readonly isFinal?: true;
    }
  | { readonly kind: "tool"; readonly span: Span; readonly isRepeat: boolean }
  /** Failed span that is neither a model call nor a tool call. */
  | { readonly kind: "failure"; readonly span: Span }
  /** Consecutive successful steps: calls of one tool, or any steps of a trace loaded without content. */
  | { readonly kind: "repeats"; readonly name: string; readonly spans: readonly Span[] };

/** Min number of consecutive steps that are grouped into one entry. */
const minGroup = 4;

const isTool = ({ kind }: Span): boolean => kind === "TOOL" || kind === "RETRIEVER";

/** Max names in the title of a group. */
const maxNames = 5;

/** Returns the title of a group: its span names with their counts, most frequent first. */
const namesOf = (spans: readonly Span[]): string => {
  const names = [...Map.groupBy(spans, ({ name }) => name)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, sameName]) => (sameName.length === spans.length ? name : `${name} ×${sameName.length}`));
  const otherNames = names.length - maxNames;
  return (
    names.slice(0, maxNames).join(", ") +
    (otherNames > 0 ? ` and ${otherNames} other${otherNames === 1 ? "" : "s"}` : "")
  );
};

/** Replaces consecutive successful steps by groups. @param isByName groups only steps of the same name. */
const groupTurns = (turns: readonly TranscriptEntry[], isByName: boolean): readonly TranscriptEntry[] => {
  const lines: TranscriptEntry[] = [];
  for (let start = 0; start < turns.length;) {
    const first = turns[start];
    if (first?.kind !== "tool" || hasFailed(first.span)) {
      if (first !== undefined) lines.push(first);
      start += 1;
      continue;
    }
    const group: Span[] = [];
    for (let at = start; at < turns.length; at += 1) {
      const turn = turns[at];
      if (turn?.kind !== "tool" || hasFailed(turn.span)) break;
      if (isByName && turn.span.name !== first.span.name) break;
      group.push(turn.span);
    }
    if (group.length < minGroup) lines.push(...turns.slice(start, start + group.length));
    else lines.push({ kind: "repeats", name: namesOf(group), spans: group });
    start += group.length;
  }
  return lines;
};

type Speaker = "user" | "system" | "model";

const speakers: Readonly<Record<string, Speaker>> = {
  user: "user",
  human: "user",
  system: "system",
  developer: "system",
  assistant: "model",
  ai: "model",
  model: "model",
};

interface Utterance {
  readonly speaker: Speaker;
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

/** Returns the parts of a message that is more than text. */
const partsOf = (content: Json): Pick<Utterance, "parts"> => {
  const parts = contentParts(content);
  return parts.every(({ type }) => type === "text") ? {} : { parts };
};

/** Returns the text or the data of an input or output without messages. */
const utteranceOf = (speaker: Speaker, value: unknown): Utterance => {
  const text = textOfValue(value);
  if (text !== null) return { speaker, text };
  return { speaker, text: JSON.stringify(value), parts: [{ type: "data", value: jsonOf(value) }] };
};

/** Splits an input or output into messages by role; a text without roles is that of the user in an input, of the model in an output. */
const utterancesIn = (value: unknown, kind: Span["kind"], side: "input" | "output"): readonly Utterance[] => {
  if (value === null || value === undefined) return [];
  const messages = messagesIn(value, kind, side);
  const speaker: Speaker = side === "input" ? "user" : "model";
  const utterances =
    messages === null
      ? [utteranceOf(speaker, value)]
      : messages.flatMap(({ role, content = null }) => {
          const messageSpeaker = typeof role === "string" ? speakers[role.toLowerCase()] : undefined;
          return messageSpeaker === undefined
            ? []
            : [{ speaker: messageSpeaker, text: contentText(content), ...partsOf(content) }];
        });
  return utterances.filter(({ text }) => text.trim() !== "");
};

/**
 * Builds the transcript of a trace: user and model messages, tool calls and their results, in order. Failed spans are
 * always included.
 *
 * @param hasContent false if the spans were loaded without input and output; model calls are then steps like tool calls.
 */
export const buildTranscript = (
  trace: Pick<Trace, "input" | "output" | "spans">,
  hasContent: boolean = true,
): readonly TranscriptEntry[] => {
  const turns: TranscriptEntry[] = [];
  const [timesShown, toolCalls] = [new Map<string, number>(), new Set<string>()];
  const keyOf = ({ speaker, text }: Utterance): string => `${speaker}: ${text.replaceAll("[image]", "").trim()}`;
  const addUtterance = ({ speaker, ...utterance }: Utterance, span: Span | null): void => {
    const key = keyOf({ speaker, ...utterance });
    timesShown.set(key, (timesShown.get(key) ?? 0) + 1);
    turns.push({ kind: speaker, ...utterance, span });
  };
  /** Adds the pictures of a message to the turn that has its text alone, such as the input of the trace. */
  const addPictures = (utterance: Utterance): void => {
    if (!utterance.parts?.some(({ type }) => type === "image")) return;
    const at = turns.findIndex((turn) => "text" in turn && keyOf({ speaker: turn.kind, ...turn }) === keyOf(utterance));
    const turn = turns[at];
    if (turn !== undefined && "text" in turn && turn.parts === undefined)
      turns[at] = { ...turn, parts: utterance.parts };
  };
  // Each model input repeats the conversation so far: only messages beyond their previous number of occurrences are new.
  const addNewInput = (value: unknown, kind: Span["kind"]): void => {
    const timesInInput = new Map<string, number>();
    for (const utterance of utterancesIn(value, kind, "input")) {
      const times = (timesInInput.get(keyOf(utterance)) ?? 0) + 1;
      timesInInput.set(keyOf(utterance), times);
      if (times > (timesShown.get(keyOf(utterance)) ?? 0)) addUtterance(utterance, null);
      else addPictures(utterance);
    }
  };
  addNewInput(trace.input, "AGENT");
  for (const span of trace.spans) {
    if (!hasContent && (span.kind === "LLM" || isTool(span))) turns.push({ kind: "tool", span, isRepeat: false });
    else if (span.kind === "LLM") {
      addNewInput(span.input, span.kind);
      for (const utterance of utterancesIn(span.output, span.kind, "output")) addUtterance(utterance, span);
    } else if (isTool(span)) {
      const key = JSON.stringify([span.name, span.input]);
      turns.push({ kind: "tool", span, isRepeat: toolCalls.has(key) });
      toolCalls.add(key);
    }
    if (hasFailed(span) && !isTool(span) && (hasContent || span.kind !== "LLM")) turns.push({ kind: "failure", span });
  }
  for (const utterance of utterancesIn(trace.output, "AGENT", "output").slice(-1)) {
    if (turns.findLast(({ kind }) => kind === "model") === undefined || !timesShown.has(keyOf(utterance)))
      addUtterance(utterance, null);
  }
  const last = turns.findLastIndex(({ kind }) => kind === "model");
  const turn = turns[last];
  if (turn?.kind === "model") turns[last] = { ...turn, isFinal: true };
  return groupTurns(turns, hasContent);
};
