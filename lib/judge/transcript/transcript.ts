import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { Span, Trace, TraceStatus } from "../../domain/traces/trace.ts";
import { droppedParts } from "../../domain/dropped-parts.ts";
import { isTelemetryKey } from "../../domain/traces/telemetry.ts";
import { duplicateToolSpans } from "../../domain/traces/duplicate-tool-spans.ts";
import { clip, shortenToBudget } from "./shorten.ts";
import { totalSize, type RenderedSpan, type TranscriptSection } from "./section.ts";
import { conversationOf, type UserTurn } from "./conversation.ts";
import { lineCode, neutralise } from "./delimiters.ts";
import { errorSources, errorText, failureLines } from "./errors.ts";
import { withToolSignatures } from "./tool-definitions.ts";
import { forwardingSpans } from "./forwarding.ts";
import { numberedSpans, type NumberedSpan, spanPriorities } from "./spans.ts";
import { shownTexts, indent, valueRenderer, type RenderValue } from "./value-text.ts";

/** The part of a trace that a judge was shown. */
export interface Coverage {
  /** Characters in the transcript. */
  readonly shown_characters: number;
  /** Characters of the whole trace; a text that is shown once and then referred to counts once. */
  readonly total_characters: number;
  /** Share of the characters that is shown, 0 to 1. */
  readonly ratio: number;
  /** Omitted characters that only repeat shown ones; absent if there are none. */
  readonly repeated_characters?: number;
}

/**
 * Computes a coverage.
 *
 * @param shownCount shown characters, at most `total`.
 * @param repeated characters omitted as repetition.
 */
export const coverageOf = (shownCount: number, total: number, repeated = 0): Coverage => ({
  shown_characters: shownCount,
  total_characters: total,
  ratio: total === 0 ? 1 : Math.floor((shownCount / total) * 10_000) / 10_000,
  ...(repeated > 0 && { repeated_characters: repeated }),
});

/** Returns the share of a trace that is shown or only repeats shown text, 0 to 1. */
export const coveredShare = ({ shown_characters, total_characters, repeated_characters = 0 }: Coverage): number =>
  total_characters === 0 ? 1 : (shown_characters + repeated_characters) / total_characters;

/**
 * Version of the transcript format, part of every prompt fingerprint; it changes when the same trace is rendered differently.
 */
export const transcriptVersion = 10;

/** Default maximum characters of a transcript, about 15,000 tokens. */
export const maxTranscriptLength = 60_000;

/** A trace rendered as text for a judge. */
export interface Transcript {
  readonly text: string;
  readonly coverage: Coverage;
  /** Sections of the text, in order. */
  readonly sections: readonly TranscriptSection[];
}

const nameLength = 200;
const quoted = (name: string): string => neutralise(JSON.stringify(clip(name, nameLength))).replaceAll("\n", " ");

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
  { part, span }: Pick<TranscriptSection, "part" | "span">,
  value: Json,
  here: string,
  show: RenderValue,
): TranscriptSection => {
  if (isEmpty(value)) return { head: `${label}: ${value === "" ? '""' : JSON.stringify(value)}`, body: "", part, span };
  return { head: `${label}:`, body: indent(neutralise(show(value, here))), part, span };
};

/** Parameters without meaning for the agent's work: labels of a framework, the usage in a stream, the free choice of a tool. */
const isSetting = (key: string, value: Json): boolean =>
  key === "labels" || key === "stream_options" || (key === "tool_choice" && isDeepStrictEqual(value, { type: "auto" }));

/** Returns the structured model parameters, such as tool definitions; plain numbers say nothing about the agent's work. */
const structuredParameters = (parameters: JsonObject | null): JsonObject =>
  withToolSignatures(
    Object.fromEntries(
      Object.entries(parameters ?? {}).filter(
        ([key, value]) => typeof value === "object" && !isEmpty(value) && !isSetting(key, value),
      ),
    ),
  );

/** Removes metadata of OpenTelemetry itself, which says nothing about the agent's work, and entries that repeat others. */
const programMetadata = (metadata: JsonObject, others: JsonObject = {}): JsonObject =>
  Object.fromEntries(
    Object.entries(metadata).filter(([key, value]) => !isTelemetryKey(key) && !isDeepStrictEqual(value, others[key])),
  );

/**
 * Returns the spans without metadata that the trace or its first span has too, and without parameters that an earlier span has:
 * programs set the same attributes on all spans, and agents send their tools with every call.
 */
const withoutRepetitions = (spans: readonly NumberedSpan[], traceMetadata: JsonObject): readonly NumberedSpan[] => {
  const rootMetadata = spans[0]?.span.metadata ?? {};
  const shownParameters = new Set<string>();
  return spans.map((numberedSpan, index) => {
    const { span } = numberedSpan;
    const parameters = structuredParameters(span.model_parameters);
    const json = JSON.stringify(parameters);
    const isRepeated = shownParameters.has(json);
    shownParameters.add(json);
    const metadata = programMetadata(
      span.metadata,
      index === 0 ? traceMetadata : { ...rootMetadata, ...traceMetadata },
    );
    return { ...numberedSpan, span: { ...span, metadata, model_parameters: isRepeated ? null : parameters } };
  });
};

/** True for a span without content, such as the spans that runtimes record for each message they forward. */
const isSilent = ({ kind, status, input, output, error, metadata, model_parameters: parameters }: Span): boolean =>
  kind === "OTHER" &&
  status !== "ERROR" &&
  [input, output, error, metadata, parameters].every((value) => isEmpty(value));

/** Minimum consecutive spans without content that are rendered as one line. */
const minSilentRun = 3;

/** Finds runs of spans without content: index of the first span -> index after the last. */
const silentRuns = (spans: readonly NumberedSpan[]): ReadonlyMap<number, number> => {
  const runs = new Map<number, number>();
  for (let from = 0; from < spans.length; from += 1) {
    let to = from;
    while (to < spans.length && isSilent(spans[to]!.span)) to += 1;
    if (to - from >= minSilentRun) runs.set(from, to);
    from = Math.max(from, to - 1);
  }
  return runs;
};

/**
 * Renders the sections of a span.
 *
 * @param repeatedCalls by span id, the number of an earlier span that records the same call.
 * @param dropped by span id, what the exporter left out of the span.
 * @param errorSource number of the span inside this one that has the same error; undefined for none.
 * @param isForwarding true for a span that only passes on messages of its parent, which gets a head only.
 */
const spanSections = (
  { span, number, parent, isOrphan: orphan }: NumberedSpan,
  show: RenderValue,
  mark: string,
  repeatedCalls: ReadonlyMap<string, number>,
  dropped: ReadonlyMap<string, string | null>,
  errorSource: number | undefined,
  isForwarding: boolean,
): TranscriptSection[] => {
  const inside = parent === null ? (orphan ? ", parent not in the record" : "") : ` in #${parent}`;
  const repeatedNumber = repeatedCalls.get(span.span_id);
  const sameCallNote = repeatedNumber === undefined ? "" : `, the same call as #${repeatedNumber}`;
  const forwardingNote = isForwarding ? ", passes on shown texts" : "";
  const droppedWords = dropped.get(span.span_id) ?? null;
  const droppedNote = droppedWords === null ? "" : `, without ${droppedWords} that the exporter left out`;
  const model = span.model === null ? "" : `, model ${quoted(span.model)}`;
  const head = `${mark}#${number} ${span.kind} ${span.status}${inside}${sameCallNote}${forwardingNote}${droppedNote}: ${quoted(span.name)}${model}${seconds(span.started_at, span.ended_at)}`;
  const spanReference = { id: span.span_id, number };
  const headSection: TranscriptSection = { head, body: "", part: "head", span: spanReference };
  if (isForwarding) return [headSection];
  const hasNoContent = isSilent(span);
  const labelled = (label: string, part: TranscriptSection["part"], value: Json): TranscriptSection[] =>
    isEmpty(value) && (label !== "output" || hasNoContent)
      ? []
      : [section(`${mark}#${number} ${label}`, { part, span: spanReference }, value, `#${number} ${label}`, show)];
  return [
    headSection,
    ...labelled("input", "input", span.input),
    ...labelled("output", "output", span.output),
    ...labelled("error", "error", span.error === null ? null : errorText(span.error, errorSource)),
    ...labelled("metadata", "aside", span.metadata),
    ...labelled("parameters", "aside", span.model_parameters),
  ];
};

/** Explanations of trace statuses for the judge. */
const statusNotes: Readonly<Partial<Record<TraceStatus, string>>> = {
  RUNNING: " (still running: the record ends here, the execution does not)",
  PENDING: " (not ended yet: the record ends here, the execution may not)",
};

/**
 * Renders a trace for a judge: its input and output, the system messages, every turn of the user, then the tree of spans. A
 * value or message that was shown before is replaced by a reference to its location. If the text exceeds the budget (characters),
 * repetitions are left out, long texts cut and unimportant spans omitted, with marks that say so. User and session ids are not
 * shown.
 *
 * @param code random letters that begin every structural line, so that no content can imitate one.
 */
export const renderTranscript = (trace: Trace, budget: number, code: string = lineCode("")): Transcript => {
  const mark = `${code} `;
  const show = valueRenderer(shownTexts(), mark);
  const metadata = programMetadata(trace.metadata);
  const spans = withoutRepetitions(numberedSpans(trace.spans), metadata);
  const { rules, turns } = conversationOf(trace, spans);
  const status = `status ${trace.status}${statusNotes[trace.status] ?? ""}${seconds(trace.started_at, trace.ended_at)}, spans ${spans.length}`;
  const traceSection = { part: "trace", span: null } as const;
  const hasTurnsInSpans = turns.some(({ span }) => span !== null);
  const sources = errorSources(spans);
  const failures = failureLines(spans, sources);
  const turnSection = ({ number, text, span }: UserTurn): TranscriptSection => {
    const location = span === null ? "the trace input" : `#${span}`;
    return section(`${mark}User turn ${number} (${location})`, traceSection, text, `user turn ${number}`, show);
  };
  const traceSections: TranscriptSection[] = [
    { head: `${mark}Trace ${status}: ${quoted(trace.name)}`, body: "", ...traceSection },
    ...(failures === "" ? [] : [section(`${mark}Trace errors`, traceSection, failures, "the trace errors", show)]),
    section(`${mark}Trace input`, traceSection, trace.input, "the trace input", show),
    section(`${mark}Trace output`, traceSection, trace.output, "the trace output", show),
    ...(isEmpty(metadata)
      ? []
      : [section(`${mark}Trace metadata`, traceSection, metadata, "the trace metadata", show)]),
    ...(hasTurnsInSpans
      ? rules.map((rule) => section(`${mark}System rules`, traceSection, rule, "the system rules", show))
      : []),
    ...(hasTurnsInSpans ? turns.map(turnSection) : []),
  ];
  const numbers = new Map(spans.map(({ span, number }) => [span.span_id, number]));
  const repeatedCalls = new Map(
    Array.from(duplicateToolSpans(trace.spans), ([inner, outer]): [string, number] => [inner, numbers.get(outer) ?? 0]),
  );
  const dropped = new Map(trace.spans.map(({ span_id: id, metadata: all }) => [id, droppedParts(all)]));
  const turnSpans = new Set(turns.flatMap(({ span }) => span ?? []));
  const priorities = spanPriorities(spans, turnSpans);
  const runs = silentRuns(spans);
  const forwarding = forwardingSpans(spans);
  let silentTo = 0;
  const renderedSpans = spans.map((numberedSpan, index): RenderedSpan => {
    const to = runs.get(index);
    const priority = priorities[index] ?? 0;
    if (to !== undefined) {
      silentTo = to;
      const head = `${mark}[#${numberedSpan.number}-#${numberedSpan.number + to - index - 1} ${to - index} spans of OTHER kind that tell nothing: ${quoted(numberedSpan.span.name)}, ...]`;
      return { numberedSpan, priority, sections: [{ head, body: "", part: "head", span: null }] };
    }
    return {
      numberedSpan,
      priority,
      sections:
        index < silentTo
          ? []
          : spanSections(
              numberedSpan,
              show,
              mark,
              repeatedCalls,
              dropped,
              sources.get(numberedSpan.number),
              forwarding.has(numberedSpan.number),
            ),
    };
  });
  const total = totalSize(traceSections) + renderedSpans.reduce((sum, { sections }) => sum + totalSize(sections), 0);
  const { sections, repeated } = shortenToBudget(budget, traceSections, renderedSpans, mark);
  const shown = Math.min(total, totalSize(sections));
  return {
    text: sections.map(({ head, body }) => (body === "" ? head : `${head}\n${body}`)).join("\n"),
    coverage: coverageOf(shown, total, Math.min(repeated, total - shown)),
    sections,
  };
};

/** Limits on the part of a trace that a judge is shown, set by the operator. */
export interface TranscriptSettings {
  /** Maximum characters of a transcript by `<provider>/<model>`; `default` for all other models. */
  readonly characters: Readonly<Record<string, number>>;
  /** Minimum share of a trace (0 to 1) that is shown or repeats shown text; with less no judge is called. */
  readonly leastCoverage: number;
  /** Maximum pictures of a trace by `<provider>/<model>`; 0 for all other models. */
  readonly pictures?: Readonly<Record<string, number>>;
}

/** Transcript limits without operator settings. */
export const defaultTranscripts: TranscriptSettings = { characters: {}, leastCoverage: 0.25 };

/** Returns the maximum characters of a model's transcripts. @param model `<provider>/<model>`. */
export const transcriptBudget = ({ characters }: TranscriptSettings, model: string): number =>
  characters[model] ?? characters["default"] ?? maxTranscriptLength;

/** Returns the maximum pictures sent to a model. @param model `<provider>/<model>`. */
export const maxPictures = ({ pictures }: TranscriptSettings, model: string): number => pictures?.[model] ?? 0;
