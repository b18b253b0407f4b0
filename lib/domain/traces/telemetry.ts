import { equalsJson, isObject, labelText, type Json, type JsonObject } from "../json.ts";
import { shortened } from "../text.ts";
import { mergeTrace } from "./merge.ts";
import { withCallEvents } from "./call-events.ts";
import { isPlaceholder, sessionKeys } from "./log-events.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "./input.ts";
import { maxTraceTags } from "./limits.ts";
import type { Span, Trace } from "./trace.ts";

/** Metadata keys with which an OpenTelemetry span describes its trace. */
export const telemetryKeys = {
  ...sessionKeys,
  traceName: "otel.trace_name",
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
  /** True if the parent span ran in another process. */
  remoteParent: "otel.parent_is_remote",
  /** Keys of the span's metadata that are also metadata of its trace. */
  traceMetadata: "otel.trace_metadata",
} as const;

/** Metadata key of a trace for its id in OpenTelemetry's form. */
export const traceIdKey = "otel.trace_id";

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

const byEnd = (a: Span, b: Span): number => {
  const [ends, otherEnd] = [a.ended_at ?? "", b.ended_at ?? ""];
  if (ends !== otherEnd) return ends < otherEnd ? -1 : 1;
  return a.span_id < b.span_id ? -1 : 1;
};

/**
 * Returns the root span: the one without a parent, else the first with a remote parent that the trace does not
 * contain.
 *
 * @param ordered spans by start.
 */
export const rootOf = (ordered: readonly Span[]): Span | undefined => {
  const ids = new Set(ordered.map(({ span_id }) => span_id));
  return (
    ordered.find(({ parent_span_id: parent }) => parent === null) ??
    ordered.find((span) => hasRemoteParent(span) && span.parent_span_id !== null && !ids.has(span.parent_span_id))
  );
};

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

/** Returns the name of a trace according to a span. */
export const traceNameBy = ({ name, metadata }: Span): string => text(metadata[telemetryKeys.traceName]) ?? name;

/** Returns a field of the trace according to a span; null if the span does not set it. */
export const labelOf = (key: LabelKey, span: Span, metadata: JsonObject): string | null =>
  labelReaders[key](span, metadata);

/** True if a span was called from another process. */
export const hasRemoteParent = ({ metadata }: Span): boolean => metadata[telemetryKeys.remoteParent] === true;

const firstOf = <Value>(spans: readonly Span[], read: (span: Span) => Value | null): Value | null => {
  for (const span of spans) {
    const value = read(span);
    if (value !== null) return value;
  }
  return null;
};

const lastOutput = (conversationSpans: readonly Span[]): Json =>
  firstOf(conversationSpans.toSorted(byEnd).toReversed(), ({ output }) => output);

/**
 * Derives the fields of a trace from its spans and metadata, independent of the order of arrival; null without spans.
 *
 * The root determines name, status, end, input and output; without a root the trace is RUNNING and named after its
 * first span. The start is that of the earliest span. Labels and an input missing from the root come from the
 * earliest span that has them, a missing output from the span that ended last, unless the root failed.
 */
export const derivedFields = (spans: readonly Span[], metadata: JsonObject): DerivedFields | null => {
  const ordered = spans.toSorted(byStart);
  const [first] = ordered;
  if (first === undefined) return null;
  const root = rootOf(ordered);
  const rootFirst = root === undefined ? ordered : [root, ...ordered];
  const conversationSpans = ordered.filter(carriesConversation);
  const endedAt = root?.ended_at ?? null;
  const labelFor = (key: LabelKey): string | null => firstOf(rootFirst, (span) => labelOf(key, span, metadata));
  return {
    name: traceNameBy(root ?? first),
    status: endedAt === null ? "RUNNING" : root?.status === "ERROR" ? "ERROR" : "COMPLETED",
    input: root?.input ?? firstOf(conversationSpans, ({ input }) => input),
    output:
      endedAt === null ? null : (root?.output ?? (root?.status === "ERROR" ? null : lastOutput(conversationSpans))),
    started_at: first.started_at,
    ended_at: endedAt,
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
    return endedSpan === undefined || (span.ended_at ?? null) !== null || isPlaceholder(span)
      ? [span]
      : [span, endedSpan];
  });
};

const telemetryOnly = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => isTelemetryKey(key)));

/**
 * Merges OpenTelemetry spans into a stored trace. Derived fields and metadata follow the spans; a value that was
 * overwritten by a patch or another client is kept.
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
  const spans = withCallEvents(mergedSpans);
  const previousMetadata = metadataBySpans(before.spans);
  const newMetadata = Object.entries(metadataBySpans(spans)).filter(([key]) =>
    equalsJson(before.metadata[key], previousMetadata[key]),
  );
  const metadata = { ...mergedMetadata, ...Object.fromEntries(newMetadata) };
  const previousFields = derivedFields(before.spans, before.metadata);
  const newFields = derivedFields(spans, metadata);
  // A trace created for its scores has no fields of its own: all are derived from its first spans.
  const isScoresOnly = previousFields === null && isTelemetryTrace(before);
  const fieldValue = <Key extends keyof DerivedFields>(key: Key): DerivedFields[Key] =>
    newFields !== null && (isScoresOnly || equalsJson(before[key], previousFields?.[key] ?? null))
      ? newFields[key]
      : before[key];
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
