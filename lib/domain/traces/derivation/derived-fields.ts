import type { Instant } from "../../instant.ts";
import type { Json, JsonObject } from "../../json.ts";
import { earlierOf, setFieldsOf, setStartOf } from "../parts/set-fields.ts";
import {
  byEnd,
  byStart,
  carriesConversation,
  labelOf,
  lastSetting,
  setNameOf,
  setValueOf,
  topSpansOf,
  withoutStoredParent,
  type LabelKey,
} from "../telemetry.ts";
import type { Span, Trace } from "../trace.ts";

/** The fields of a trace that are derived from its spans. */
export type DerivedFields = Pick<
  Trace,
  | "name"
  | "status"
  | "input"
  | "output"
  | "started_at"
  | "ended_at"
  | "session_id"
  | "user_id"
  | "environment"
  | "release"
>;

/** Orders spans by start; of spans that start at the same instant those whose parent also does come last. */
const byStartOutermostFirst = (spans: readonly Span[]): readonly Span[] => {
  const starts = new Map(spans.map(({ span_id, started_at }) => [span_id, started_at]));
  const rank = ({ parent_span_id: parent, started_at }: Span): number =>
    parent !== null && starts.get(parent) === started_at ? 1 : 0;
  return spans.toSorted((a, b) => (a.started_at === b.started_at ? rank(a) - rank(b) : 0) || byStart(a, b));
};

const firstOf = <Value>(spans: readonly Span[], read: (span: Span) => Value | null): Value | null => {
  for (const span of spans) {
    const value = read(span);
    if (value !== null) return value;
  }
  return null;
};

/**
 * True for an ended step of an agent that does not tell how it ended: without a status of its own and without an output. Other spans
 * that tell nothing, such as those of web servers, may have handled the failure of a step.
 */
export const isInconclusive = (span: Span): boolean =>
  span.status === "UNSET" && span.output === null && span.ended_at !== null && carriesConversation(span);

/** True for spans whose failure, with nothing after it, can be that of an agent: not those of transport and databases. */
const isStep = ({ kind }: Span): boolean => kind !== "OTHER";

/** Returns those of some spans that have failed: by their status, or inconclusive ones by the last of their steps. */
const failuresOf = (heads: readonly Span[], spans: readonly Span[]): ReadonlySet<Span> => {
  const lastSteps = heads.some(isInconclusive)
    ? new Map(
        spans
          .filter(isStep)
          .toSorted(byEnd)
          .map((span) => [span.parent_span_id, span]),
      )
    : new Map<string | null, Span>();
  const outcomeOf = (head: Span): Span | undefined => {
    let step: Span | undefined = head;
    // Each of the spans below one whose parent is not stored has one parent, so that there is no cycle.
    while (step !== undefined && isInconclusive(step)) step = lastSteps.get(step.span_id);
    return step;
  };
  return new Set(heads.filter((head) => outcomeOf(head)?.status === "ERROR"));
};

/** Returns the end of the last span; of one that has not ended its start. */
const lastEndOf = (spans: readonly Span[]): Instant =>
  spans
    .map(({ ended_at: end, started_at: start }) => end ?? start)
    .reduce((last, end) => (end > last ? end : last), "");

const lastOutput = (spans: readonly Span[]): Json =>
  firstOf(spans.toSorted(byEnd).toReversed(), ({ output }) => output);

/** Returns the output of the span that ended last, unless that failed; if it has none, the last output of the others. */
const outputOf = (heads: readonly Span[], failures: ReadonlySet<Span>, conversationSpans: readonly Span[]): Json => {
  const last = heads.toSorted(byEnd).at(-1);
  if (last !== undefined && failures.has(last)) return last.output;
  return last?.output ?? lastOutput(heads) ?? lastOutput(conversationSpans);
};

/** Returns the spans of a trace in the order in which the first provides its name, and those with an input its input. */
export const spansByPrecedence = (spans: readonly Span[], tops: readonly Span[]): readonly Span[] =>
  tops.length > 0 ? tops : byStartOutermostFirst(spans);

/** Returns the fields of a trace of which a client has sent no span yet. */
const fieldsWithoutSpans = (start: Instant, isSilent: boolean): DerivedFields => ({
  name: "unnamed",
  status: isSilent ? "COMPLETED" : "RUNNING",
  input: null,
  output: null,
  started_at: start,
  ended_at: null,
  session_id: null,
  user_id: null,
  environment: null,
  release: null,
});

/**
 * Derives the fields of a trace from its spans and metadata, independent of the order of arrival; null without spans and a start that
 * a client has set. A trace never starts after that.
 *
 * Name, input and output that a client has set for the trace win, the last one that was sent. The top spans determine
 * all else: the first one the start and the name, all together the end and the status, and the first and the last one
 * input and output. Labels and an input missing from them come from the earliest span that has them, a missing output
 * from the span that ended last. Children never change times, and the status only for a top span that does not tell how it ended,
 * while no output is set for the trace: it has failed if its last step has.
 *
 * Without a top span a trace starts with its first span, which names it, and is RUNNING. Its output is that of the last
 * of the spans whose parents are not stored.
 *
 * @param isSilent true for a trace without a top span that has ended by silence: its end is that of its last span.
 */
export const derivedFields = (spans: readonly Span[], metadata: JsonObject, isSilent = false): DerivedFields | null => {
  const ordered = spans.toSorted(byStart);
  const [first] = ordered;
  const start = setStartOf(metadata);
  if (first === undefined) return start === null ? null : fieldsWithoutSpans(start, isSilent);
  const tops = topSpansOf(ordered);
  const [root] = tops;
  const precedence = spansByPrecedence(ordered, tops);
  const conversationSpans = ordered.filter(carriesConversation);
  const hasEnded = root !== undefined && tops.every(({ ended_at: end }) => end !== null);
  const labelFor = (key: LabelKey): string | null =>
    firstOf(root === undefined ? ordered : [root, ...ordered], (span) => labelOf(key, span, metadata));
  const heads = root === undefined ? withoutStoredParent(ordered) : tops;
  const [nameSetting, inputSetting, outputSetting] = (["name", "input", "output"] as const).map((field) =>
    lastSetting(field, spans),
  );
  const hasSetOutput = outputSetting !== undefined || setFieldsOf(metadata).has("output");
  const failures = failuresOf(heads, hasSetOutput ? [] : spans);
  const output = root === undefined || hasEnded ? outputOf(heads, failures, conversationSpans) : null;
  return {
    name: (nameSetting && setNameOf(nameSetting)) ?? (precedence[0] ?? first).name,
    status: hasEnded || isSilent ? (failures.size > 0 ? "ERROR" : "COMPLETED") : "RUNNING",
    input:
      (inputSetting && setValueOf("input", inputSetting)) ??
      firstOf(precedence, ({ input }) => input) ??
      firstOf(conversationSpans, ({ input }) => input),
    output: (outputSetting && setValueOf("output", outputSetting)) ?? output,
    started_at: earlierOf(start, (root ?? first).started_at),
    ended_at: hasEnded || isSilent ? lastEndOf(hasEnded ? tops : spans) : null,
    session_id: labelFor("session_id"),
    user_id: labelFor("user_id"),
    environment: labelFor("environment"),
    release: labelFor("release"),
  };
};
