import { isObject, labelText, type Json, type JsonObject } from "../json.ts";
import { shortened } from "../text.ts";
import { sessionKeys } from "./log-events.ts";
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
  experimentId: "otel.experiment_id",
  experimentItem: "otel.experiment_item",
  /** Dataset of the experiment: its id, or its name. */
  dataset: "otel.dataset",
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

/** Returns the spans whose parent is not among the spans, in the given order. */
export const withoutStoredParent = (spans: readonly Span[]): readonly Span[] => {
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
