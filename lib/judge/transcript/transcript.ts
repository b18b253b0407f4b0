import type { Json, JsonObject } from "../../domain/json.ts";
import type { Span, Trace, TraceStatus } from "../../domain/traces/trace.ts";
import { repeatedTools } from "../../domain/traces/wrapped-calls.ts";
import { clip } from "./clip.ts";
import { conversationOf, type UserTurn } from "./conversation.ts";
import { coverageOf, type Coverage } from "./coverage.ts";
import { lineCode, neutralised } from "./delimiters.ts";
import { repetitionsIn } from "./repetitions.ts";
import { shortenedTo, totalSize, type Section, type ShownSpan } from "./shorten.ts";
import { shownTexts } from "./shown-texts.ts";
import { placedSpans, type PlacedSpan } from "./span-order.ts";
import { spanWorths } from "./span-worth.ts";
import { indented, valueRenderer, type ShowValue } from "./value-text.ts";

/** Changes when the same trace is shown differently; part of every prompt's fingerprint. */
export const transcriptVersion = 4;

/** Characters of a transcript at most: about 15,000 tokens. */
export const longestTranscript = 60_000;

/** A trace as a judge reads it. */
export interface Transcript {
  readonly text: string;
  readonly coverage: Coverage;
  /** What it is made of, as shown. */
  readonly sections: readonly Section[];
}

const nameLength = 200;
const quoted = (name: string): string => neutralised(JSON.stringify(clip(name, nameLength))).replaceAll("\n", " ");

const seconds = (from: string, to: string | null): string => {
  const duration = to === null ? Number.NaN : Date.parse(to) - Date.parse(from);
  return Number.isFinite(duration) ? `, ${(duration / 1000).toFixed(3)} s` : "";
};

const isEmpty = (value: Json | undefined): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (typeof value === "object" && !JSON.isRawJSON(value) && Object.keys(value).length === 0);

const section = (
  label: string,
  { part, span }: Pick<Section, "part" | "span">,
  value: Json,
  here: string,
  show: ShowValue,
): Section => {
  if (isEmpty(value)) return { head: `${label}: ${value === "" ? '""' : JSON.stringify(value)}`, body: "", part, span };
  return { head: `${label}:`, body: indented(neutralised(show(value, here))), part, span };
};

/** Tool definitions hide among the model's parameters; plain numbers there say nothing about what the agent did. */
const structured = (parameters: JsonObject | null): JsonObject =>
  Object.fromEntries(
    Object.entries(parameters ?? {}).filter(([, value]) => typeof value === "object" && !isEmpty(value)),
  );

/** What belongs to OpenTelemetry itself (ids, scopes, resources) says nothing about what the agent did. */
const withoutTelemetry = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith("otel.")));

/** Whether nothing is told of a span but that it was: runtimes have spans of their own for each message that they pass on. */
const isSilent = ({ kind, status, input, output, error, metadata, model_parameters: parameters }: Span): boolean =>
  kind === "OTHER" &&
  status !== "ERROR" &&
  [input, output, error, withoutTelemetry(metadata), structured(parameters)].every((value) => isEmpty(value));

/** Fewer silent spans in a row stand for themselves. */
const fewestSilent = 3;

/** Silent spans in a row, by the index of the first. */
const silentRuns = (spans: readonly PlacedSpan[]): ReadonlyMap<number, number> => {
  const runs = new Map<number, number>();
  for (let from = 0; from < spans.length; from += 1) {
    let to = from;
    while (to < spans.length && isSilent(spans[to]!.span)) to += 1;
    if (to - from >= fewestSilent) runs.set(from, to);
    from = Math.max(from, to - 1);
  }
  return runs;
};

/** @param again numbers of the spans whose call a span tells again, by its id. */
const spanSections = (
  { span, number, parent, orphan }: PlacedSpan,
  show: ShowValue,
  mark: string,
  again: ReadonlyMap<string, number>,
): Section[] => {
  const inside = parent === null ? (orphan ? ", parent not in the record" : "") : ` in #${parent}`;
  const of = again.get(span.span_id);
  const same = of === undefined ? "" : `, the same call as #${of}`;
  const model = span.model === null ? "" : `, model ${quoted(span.model)}`;
  const head = `${mark}#${number} ${span.kind} ${span.status}${inside}${same}: ${quoted(span.name)}${model}${seconds(span.started_at, span.ended_at)}`;
  const own = { id: span.span_id, number };
  const silent = isSilent(span);
  const labelled = (label: string, part: Section["part"], value: Json): Section[] =>
    isEmpty(value) && (label !== "output" || silent)
      ? []
      : [section(`${mark}#${number} ${label}`, { part, span: own }, value, `#${number} ${label}`, show)];
  return [
    { head, body: "", part: "head", span: own },
    ...labelled("input", "input", span.input),
    ...labelled("output", "output", span.output),
    ...labelled("error", "error", span.error),
    ...labelled("metadata", "aside", withoutTelemetry(span.metadata)),
    ...labelled("parameters", "aside", structured(span.model_parameters)),
  ];
};

/** What a status means for who judges. */
const statusNotes: Readonly<Partial<Record<TraceStatus, string>>> = {
  RUNNING: " (still running: the record ends here, the execution does not)",
  PENDING: " (not ended yet: the record ends here, the execution may not)",
};

/**
 * A trace for a judge: its own input and output, what the system's messages told the agent and every turn of the user, then the
 * spans by their tree. A value or a message that was shown before as a whole is named by its place afterwards. Where the budget (characters) does not hold
 * everything, repetitions become a line, the longest texts are cut and what tells least is left out, and the text says so. Who
 * used the agent (user, session) is not shown: no verdict needs it.
 *
 * @param code begins every line of the transcript's own, so that no content can pass for one.
 */
export const renderTranscript = (trace: Trace, budget: number, code: string = lineCode("")): Transcript => {
  const mark = `${code} `;
  const show = valueRenderer(shownTexts(), mark);
  const spans = placedSpans(trace.spans);
  const { rules, turns } = conversationOf(trace, spans);
  const metadata = withoutTelemetry(trace.metadata);
  const status = `status ${trace.status}${statusNotes[trace.status] ?? ""}${seconds(trace.started_at, trace.ended_at)}, spans ${spans.length}`;
  const of = { part: "trace", span: null } as const;
  const said = turns.some(({ span }) => span !== null);
  const turnSection = ({ number, text, span }: UserTurn): Section => {
    const place = span === null ? "the trace input" : `#${span}`;
    return section(`${mark}User turn ${number} (${place})`, of, text, `user turn ${number}`, show);
  };
  const own: Section[] = [
    { head: `${mark}Trace ${status}: ${quoted(trace.name)}`, body: "", ...of },
    section(`${mark}Trace input`, of, trace.input, "the trace input", show),
    section(`${mark}Trace output`, of, trace.output, "the trace output", show),
    ...(isEmpty(metadata) ? [] : [section(`${mark}Trace metadata`, of, metadata, "the trace metadata", show)]),
    ...(said ? rules.map((rule) => section(`${mark}System rules`, of, rule, "the system rules", show)) : []),
    ...(said ? turns.map(turnSection) : []),
  ];
  const numbers = new Map(spans.map(({ span, number }) => [span.span_id, number]));
  const again = new Map(
    Array.from(repeatedTools(trace.spans), ([inner, outer]): [string, number] => [inner, numbers.get(outer) ?? 0]),
  );
  const speaking = new Set(turns.flatMap(({ span }) => span ?? []));
  const repetitions = repetitionsIn(spans, ({ number }) => speaking.has(number));
  const worths = spanWorths(spans, speaking, repetitions);
  const runs = silentRuns(spans);
  let silentTo = 0;
  const shown = spans.map((placed, index): ShownSpan => {
    const to = runs.get(index);
    const worth = worths[index] ?? 0;
    if (to !== undefined) {
      silentTo = to;
      const head = `${mark}[#${placed.number}-#${placed.number + to - index - 1} ${to - index} spans of OTHER kind that tell nothing: ${quoted(placed.span.name)}, ...]`;
      return { placed, worth, sections: [{ head, body: "", part: "head", span: null }] };
    }
    return { placed, worth, sections: index < silentTo ? [] : spanSections(placed, show, mark, again) };
  });
  const total = totalSize(own) + shown.reduce((sum, { sections }) => sum + totalSize(sections), 0);
  const { sections, repeated } = shortenedTo(budget, own, shown, repetitions, mark);
  return {
    text: sections.map(({ head, body }) => (body === "" ? head : `${head}\n${body}`)).join("\n"),
    coverage: coverageOf(Math.min(total, totalSize(sections)), total, repeated),
    sections,
  };
};
