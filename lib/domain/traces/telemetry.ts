import type { Instant } from "../instant.ts";
import { equalsJson, isObject, labelText, type Json, type JsonObject } from "../json.ts";
import { shortened } from "../text.ts";
import { mergeTrace } from "./merge.ts";
import { withCallParts } from "./call-events.ts";
import { isPlaceholder, sessionKeys } from "./log-events.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "./input.ts";
import { maxTraceTags } from "./limits.ts";
import { isPartial } from "./parts/partial-span.ts";
import { earlierOf, mergeSetFields, setFieldsOf, setMetadata, setStartOf } from "./parts/set-fields.ts";
import type { Span, Trace } from "./trace.ts";

/** Metadata keys with which an OpenTelemetry span describes its trace. */
export const telemetryKeys = {
  ...sessionKeys,
  traceName: "otel.trace_name",
  traceInput: "otel.trace_input",
  traceOutput: "otel.trace_output",
  environment: "otel.environment",
  release: "otel.release",
  /** Prompt of a prompt library that the span used. */
  promptName: "otel.prompt_name",
  promptVersion: "otel.prompt_version",
  /** Experiment, and its item, for which the trace ran. */
  experiment: "otel.experiment",
  experimentItem: "otel.experiment_item",
  /** Id of the resource that created the span; its attributes are in the trace's metadata under `resourceKey`. */
  resource: "otel.resource",
  /** Host of the called model, where several hosts serve it. */
  modelHost: "otel.model_host",
  /** True if the parent span ran in another process, or is never sent. */
  remoteParent: "otel.parent_is_remote",
  /** Keys of the span's metadata that are also metadata of its trace. */
  traceMetadata: "otel.trace_metadata",
} as const;

/** Metadata key of a trace for its id in OpenTelemetry's form. */
export const traceIdKey = "otel.trace_id";

/** Metadata key of a trace or a span for the text by which a product identifies it, where that is no UUID. */
export const externalIdKey = "otel.external_id";

/** True for metadata keys of OpenTelemetry itself (ids, scopes, resources). */
export const isTelemetryKey = (key: string): boolean => key.startsWith("otel.");

/** True if a trace consists of OpenTelemetry spans. */
export const isTelemetryTrace = ({ metadata }: Pick<Trace, "metadata">): boolean => Object.hasOwn(metadata, traceIdKey);

/** Returns the metadata key of a trace for the attributes of a resource. */
export const resourceKey = (id: string): string => `otel.resource.${id}`;

/** The fields of a trace that are derived from its spans. */
type DerivedFields = Pick<
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

/** Orders spans by start, then by id. */
export const byStart = (a: Span, b: Span): number => {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? -1 : 1;
  return a.span_id < b.span_id ? -1 : 1;
};

/**
 * Orders spans by end, then by start and id; unfinished spans come first. Exporters send spans in the order of their
 * ends.
 */
export const byEnd = (a: Span, b: Span): number => {
  const [end, otherEnd] = [a.ended_at ?? "", b.ended_at ?? ""];
  if (end !== otherEnd) return end < otherEnd ? -1 : 1;
  return byStart(a, b);
};

/** Orders spans by start; of spans that start at the same instant those whose parent also does come last. */
const byStartOutermostFirst = (spans: readonly Span[]): readonly Span[] => {
  const starts = new Map(spans.map(({ span_id, started_at }) => [span_id, started_at]));
  const rank = ({ parent_span_id: parent, started_at }: Span): number =>
    parent !== null && starts.get(parent) === started_at ? 1 : 0;
  return spans.toSorted((a, b) => (a.started_at === b.started_at ? rank(a) - rank(b) : 0) || byStart(a, b));
};

/** Returns the spans whose parent is not among the spans, in the given order. */
const withoutStoredParent = (spans: readonly Span[]): readonly Span[] => {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  return spans.filter(({ parent_span_id: parent }) => parent === null || !ids.has(parent));
};

/** Returns the top spans of a trace by start: those without a parent, or with a remote one that is not stored. */
export const topSpansOf = (spans: readonly Span[]): readonly Span[] =>
  withoutStoredParent(spans.toSorted(byStart)).filter((span) => span.parent_span_id === null || hasRemoteParent(span));

const conversationKinds = new Set<Span["kind"]>(["AGENT", "CHAIN", "LLM"]);

/** True for kinds of spans whose input and output can become those of the trace. */
export const carriesConversation = ({ kind }: Pick<Span, "kind">): boolean => conversationKinds.has(kind);

const text = (value: Json | undefined): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Maximum characters of a label, a tag and the name of a model. */
export const maxLabelCharacters = 255;

const label = (value: Json | undefined): string | null => {
  const label = labelText(value);
  return label === null ? null : shortened(label, maxLabelCharacters);
};

/** Returns the metadata key of a span's resource; that of the empty id if the span names none. */
export const resourceKeyOf = ({ metadata }: Pick<Span, "metadata">): string =>
  resourceKey(text(metadata[telemetryKeys.resource]) ?? "");

const resourceIn = (span: Span, metadata: JsonObject): JsonObject => {
  const resource = metadata[resourceKeyOf(span)];
  return isObject(resource) ? resource : {};
};

/** Fields of a trace that any of its spans may set. */
export const labelKeys = ["session_id", "user_id", "environment", "release"] as const;
/** Name of a trace field that any of the trace's spans may set. */
export type LabelKey = (typeof labelKeys)[number];

/** Attributes of a span's resource for fields that the span does not set, in order of precedence. */
export const resourceLabels = {
  environment: ["deployment.environment.name", "deployment.environment", "langfuse.environment"],
  release: ["service.version", "langfuse.release"],
} as const;

const labelIn = (resource: JsonObject, names: readonly string[]): string | null =>
  names.map((name) => label(resource[name])).find((each) => each !== null) ?? null;

/** Read a field of the trace from a span and the trace's metadata; null if the span does not set it. */
const labelReaders: Readonly<Record<LabelKey, (span: Span, metadata: JsonObject) => string | null>> = {
  session_id: (span) => label(span.metadata[telemetryKeys.session]),
  user_id: (span) => label(span.metadata[telemetryKeys.user]),
  environment: (span, metadata) =>
    label(span.metadata[telemetryKeys.environment]) ?? labelIn(resourceIn(span, metadata), resourceLabels.environment),
  release: (span, metadata) =>
    label(span.metadata[telemetryKeys.release]) ?? labelIn(resourceIn(span, metadata), resourceLabels.release),
};

/** Metadata keys of a span for fields of its trace that a client sets on purpose, whichever span it chooses. */
const settableKeys = {
  name: telemetryKeys.traceName,
  input: telemetryKeys.traceInput,
  output: telemetryKeys.traceOutput,
} as const;
type SettableField = keyof typeof settableKeys;

/** Returns the value of a trace's field that a client has set on a span; null if it has set none. */
export const setValueOf = (field: SettableField, { metadata }: Pick<Span, "metadata">): Json =>
  metadata[settableKeys[field]] ?? null;

/** Returns the name of a trace that a client has set on a span; null if it has set none. */
export const setNameOf = (span: Pick<Span, "metadata">): string | null => text(setValueOf("name", span));

/** Returns the span that was sent last of those on which a client has set a field of the trace. */
export const lastSetting = (field: SettableField, spans: readonly Span[]): Span | undefined =>
  spans
    .filter((span) => (field === "name" ? setNameOf(span) : setValueOf(field, span)) !== null)
    .toSorted(byEnd)
    .at(-1);

/** Returns a field of the trace according to a span; null if the span does not set it. */
export const labelOf = (key: LabelKey, span: Span, metadata: JsonObject): string | null =>
  labelReaders[key](span, metadata);

/** Maximum of further sessions that are stored for a trace. */
const maxOtherSessions = 16;

/** Returns the sessions that spans name besides the one that their trace belongs to: the first 16 by start. */
export const otherSessionsOf = (spans: readonly Span[], session: string | null): readonly string[] => {
  const labels = spans.toSorted(byStart).flatMap((span) => labelOf("session_id", span, {}) ?? []);
  return [...new Set(labels)].filter((each) => each !== session).slice(0, maxOtherSessions);
};

/** True if a span was called from another process. */
const hasRemoteParent = ({ metadata }: Span): boolean => metadata[telemetryKeys.remoteParent] === true;

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

const traceMetadataKeys = ({ metadata }: Span): readonly string[] => {
  const keys = metadata[telemetryKeys.traceMetadata];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
};

/** Returns the metadata of a trace according to its spans: that of the root, then that of the others by start. */
export const metadataBySpans = (spans: readonly Span[]): JsonObject => {
  const isChild = ({ parent_span_id: parent }: Span): number => (parent === null ? 0 : 1);
  const sources = spans
    .filter((span) => traceMetadataKeys(span).length > 0)
    .toSorted((a, b) => isChild(a) - isChild(b) || byStart(a, b));
  const entries = sources
    .toReversed()
    .flatMap((span) => traceMetadataKeys(span).map((key) => [key, span.metadata[key]] as const));
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined || isTelemetryKey(key) ? [] : [[key, value]])),
  );
};

/**
 * Returns the sent spans; each unfinished one is followed by its stored finished version, if there is one, which
 * takes precedence.
 */
const withEndedSpansLast = (before: readonly Span[], spans: readonly IdentifiedSpan[]): readonly IdentifiedSpan[] => {
  const endedById = new Map(before.filter(({ ended_at }) => ended_at !== null).map((span) => [span.span_id, span]));
  return spans.flatMap((span) => {
    const endedSpan = endedById.get(span.span_id);
    return endedSpan === undefined || (span.ended_at ?? null) !== null || isPlaceholder(span) || isPartial(span)
      ? [span]
      : [span, endedSpan];
  });
};

const telemetryOnly = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => isTelemetryKey(key)));

/**
 * Merges OpenTelemetry spans into a stored trace. Derived fields and metadata follow the spans; a value that was
 * overwritten by a patch or another client is kept, and so is one that a client has set for the trace until it sets another one.
 */
export const mergeTelemetry = (before: Trace, input: IdentifiedTrace): Trace => {
  const {
    metadata: mergedMetadata,
    tags,
    spans: mergedSpans,
  } = mergeTrace(before, {
    ...input,
    metadata: telemetryOnly(input.metadata ?? {}),
    spans: withEndedSpansLast(before.spans, input.spans ?? []),
  });
  const spans = withCallParts(mergedSpans);
  const previousMetadata = metadataBySpans(before.spans);
  const [fieldsBefore, addedFields] = [setFieldsOf(before.metadata), setFieldsOf(input.metadata)];
  const newMetadata = Object.entries(metadataBySpans(spans)).filter(
    ([key]) => !fieldsBefore.has(setMetadata + key) && equalsJson(before.metadata[key], previousMetadata[key]),
  );
  const addedMetadata = Object.entries(input.metadata ?? {}).filter(([key]) => addedFields.has(setMetadata + key));
  const metadata: JsonObject = {
    ...mergedMetadata,
    ...Object.fromEntries([...newMetadata, ...addedMetadata]),
    ...mergeSetFields([before.metadata, input.metadata ?? {}]),
  };
  const previousFields = derivedFields(before.spans, before.metadata);
  const newFields = derivedFields(spans, metadata);
  // A trace created for its scores has no fields of its own: all are derived from its first spans.
  const isScoresOnly = previousFields === null && isTelemetryTrace(before);
  const fieldValue = <Key extends keyof DerivedFields>(key: Key): DerivedFields[Key] => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a sent trace has the fields of a stored one.
    if (addedFields.has(key)) return (input[key] ?? before[key]) as DerivedFields[Key];
    if (newFields === null || fieldsBefore.has(key)) return before[key];
    return isScoresOnly || equalsJson(before[key], previousFields?.[key] ?? null) ? newFields[key] : before[key];
  };
  return {
    trace_id: before.trace_id,
    name: fieldValue("name"),
    status: fieldValue("status"),
    input: fieldValue("input"),
    output: fieldValue("output"),
    metadata,
    started_at: fieldValue("started_at"),
    ended_at: fieldValue("ended_at"),
    session_id: fieldValue("session_id"),
    user_id: fieldValue("user_id"),
    tags: tags.slice(0, maxTraceTags),
    environment: fieldValue("environment"),
    release: fieldValue("release"),
    spans,
  };
};
