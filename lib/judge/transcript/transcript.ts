import type { Json, JsonObject } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { clip } from "./clip.ts";
import { coverageOf, type Coverage } from "./coverage.ts";
import { neutralised } from "./delimiters.ts";
import { shortenedTo, totalSize, type Section } from "./shorten.ts";
import { shownTexts } from "./shown-texts.ts";
import { placedSpans, type PlacedSpan } from "./span-order.ts";
import { indented, valueRenderer, type ShowValue } from "./value-text.ts";

/** Changes when the same trace is shown differently; part of every prompt's fingerprint. */
export const transcriptVersion = 2;

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
  { rank, span }: Pick<Section, "rank" | "span">,
  value: Json,
  here: string,
  show: ShowValue,
): Section => {
  if (isEmpty(value)) return { head: `${label}: ${value === "" ? '""' : JSON.stringify(value)}`, body: "", rank, span };
  return { head: `${label}:`, body: indented(neutralised(show(value, here))), rank, span };
};

/** Tool definitions hide among the model's parameters; plain numbers there say nothing about what the agent did. */
const structured = (parameters: JsonObject | null): JsonObject =>
  Object.fromEntries(
    Object.entries(parameters ?? {}).filter(([, value]) => typeof value === "object" && !isEmpty(value)),
  );

/** What belongs to OpenTelemetry itself (ids, scopes, resources) says nothing about what the agent did. */
const withoutTelemetry = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith("otel.")));

const spanSections = ({ span, number, parent, orphan }: PlacedSpan, show: ShowValue): Section[] => {
  const inside = parent === null ? (orphan ? ", parent not in the record" : "") : ` in #${parent}`;
  const model = span.model === null ? "" : `, model ${quoted(span.model)}`;
  const head = `#${number} ${span.kind} ${span.status}${inside}: ${quoted(span.name)}${model}${seconds(span.started_at, span.ended_at)}`;
  const own = { id: span.span_id, number };
  const part = (label: string, rank: Section["rank"], value: Json): Section[] =>
    isEmpty(value) && label !== "output"
      ? []
      : [section(`#${number} ${label}`, { rank, span: own }, value, `#${number} ${label}`, show)];
  return [
    { head, body: "", rank: 1, span: own },
    ...part("input", 1, span.input),
    ...part("output", 0, span.output),
    ...part("error", 1, span.error),
    ...part("metadata", 1, withoutTelemetry(span.metadata)),
    ...part("parameters", 1, structured(span.model_parameters)),
  ];
};

/**
 * Renders a trace for a judge: its own input and output, then the spans by their tree. A text is shown once and named by
 * its place afterwards; what passes the budget (characters) is left out where it is longest, and the text says so. Who
 * used the agent (user, session) is not shown: no verdict needs it.
 */
export const renderTranscript = (trace: Trace, budget: number): Transcript => {
  const show = valueRenderer(shownTexts());
  const spans = placedSpans(trace.spans);
  const metadata = withoutTelemetry(trace.metadata);
  const status = `status ${trace.status}${seconds(trace.started_at, trace.ended_at)}, spans ${spans.length}`;
  const own = { rank: 2, span: null } as const;
  const sections: Section[] = [
    { head: `Trace ${status}: ${quoted(trace.name)}`, body: "", ...own },
    section("Trace input", own, trace.input, "the trace input", show),
    section("Trace output", own, trace.output, "the trace output", show),
    ...(isEmpty(metadata) ? [] : [section("Trace metadata", own, metadata, "the trace metadata", show)]),
    ...spans.flatMap((span) => spanSections(span, show)),
  ];
  const total = totalSize(sections);
  const kept = shortenedTo(budget, sections);
  const shown = kept === sections ? total : Math.min(total, totalSize(kept));
  return {
    text: kept.map(({ head, body }) => (body === "" ? head : `${head}\n${body}`)).join("\n"),
    coverage: coverageOf(shown, total),
    sections: kept,
  };
};
