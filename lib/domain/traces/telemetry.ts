import { isDeepStrictEqual } from "node:util";
import { hasAtMost } from "../characters.ts";
import type { Json, JsonObject } from "../json.ts";
import { mergeTrace } from "./merge.ts";
import { isAwaited } from "./notes.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "./input.ts";
import { maxTags } from "./limits.ts";
import type { Span, Trace } from "./trace.ts";

/** Keys of metadata in which a span of OpenTelemetry says something about its trace. */
export const telemetryKeys = {
  session: "otel.session_id",
  user: "otel.user_id",
  traceName: "otel.trace_name",
  environment: "otel.environment",
  release: "otel.release",
  /** Id of the resource that made the span; its attributes are in the trace's metadata under `resourceKey`. */
  resource: "otel.resource",
  /** True when the parent ran in another process. */
  remoteParent: "otel.parent_is_remote",
} as const;

/** Where a trace's metadata has its id as OpenTelemetry writes it. */
export const traceIdKey = "otel.trace_id";

/** Whether a trace is what spans of OpenTelemetry say. */
export const isOfTelemetry = ({ metadata }: Pick<Trace, "metadata">): boolean => Object.hasOwn(metadata, traceIdKey);

/** Where a trace's metadata has the attributes of a resource. */
export const resourceKey = (id: string): string => `otel.resource.${id}`;

/** What follows from a trace's spans. */
type Derived = Pick<
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

/** The order of spans by their start. */
export const byStart = (a: Span, b: Span): number => {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? -1 : 1;
  return a.span_id < b.span_id ? -1 : 1;
};

const byEnd = (a: Span, b: Span): number => {
  const [ends, other] = [a.ended_at ?? "", b.ended_at ?? ""];
  if (ends !== other) return ends < other ? -1 : 1;
  return a.span_id < b.span_id ? -1 : 1;
};

/** The span without a parent; where none is, the first that was called from another process which sent nothing. */
export const rootOf = (ordered: readonly Span[]): Span | undefined => {
  const ids = new Set(ordered.map(({ span_id }) => span_id));
  return (
    ordered.find(({ parent_span_id: parent }) => parent === null) ??
    ordered.find((span) => isCalledFromAfar(span) && span.parent_span_id !== null && !ids.has(span.parent_span_id))
  );
};

const speaking = new Set<Span["kind"]>(["AGENT", "CHAIN", "LLM"]);

/** Whether a span has a say in what its trace was asked and answered. */
export const isSpeaking = ({ kind }: Pick<Span, "kind">): boolean => speaking.has(kind);

const text = (value: Json | undefined): string | null => (typeof value === "string" && value !== "" ? value : null);

const label = (value: Json | undefined): string | null => {
  const found = text(value);
  return found === null || !hasAtMost(found, 255) ? null : found;
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** The key of the metadata under which a span's resource lies; that of no resource when it names none. */
export const resourceKeyOf = ({ metadata }: Pick<Span, "metadata">): string =>
  resourceKey(text(metadata[telemetryKeys.resource]) ?? "");

const resourceIn = (span: Span, metadata: JsonObject): JsonObject => {
  const resource = metadata[resourceKeyOf(span)];
  return isObject(resource) ? resource : {};
};

/** What spans may tell of their trace. */
export const toldKeys = ["session_id", "user_id", "environment", "release"] as const;
export type ToldKey = (typeof toldKeys)[number];

/** What one span tells of its trace, given the trace's metadata; null where it says nothing. */
const tells: Readonly<Record<ToldKey, (span: Span, metadata: JsonObject) => string | null>> = {
  session_id: (span) => label(span.metadata[telemetryKeys.session]),
  user_id: (span) => label(span.metadata[telemetryKeys.user]),
  environment: (span, metadata) => {
    const resource = resourceIn(span, metadata);
    return (
      label(span.metadata[telemetryKeys.environment]) ??
      label(resource["deployment.environment.name"]) ??
      label(resource["deployment.environment"]) ??
      label(resource["langfuse.environment"])
    );
  },
  release: (span, metadata) => {
    const resource = resourceIn(span, metadata);
    return (
      label(span.metadata[telemetryKeys.release]) ??
      label(resource["service.version"]) ??
      label(resource["langfuse.release"])
    );
  },
};

/** What a trace is called after a span. */
export const traceNameBy = ({ name, metadata }: Span): string => text(metadata[telemetryKeys.traceName]) ?? name;

/** What a span tells of its trace under a key. */
export const toldBy = (key: ToldKey, span: Span, metadata: JsonObject): string | null => tells[key](span, metadata);

/** Whether a span was called from another process. */
export const isCalledFromAfar = ({ metadata }: Span): boolean => metadata[telemetryKeys.remoteParent] === true;

const firstOf = <Value>(spans: readonly Span[], of: (span: Span) => Value | null): Value | null => {
  for (const span of spans) {
    const value = of(span);
    if (value !== null) return value;
  }
  return null;
};

const lastSaid = (speakers: readonly Span[]): Json =>
  firstOf(speakers.toSorted(byEnd).toReversed(), ({ output }) => output);

/**
 * What a trace is, given its spans and its metadata: a function of the set of spans, so that it is the same whatever order
 * they came in. Null without spans.
 *
 * A root tells name, status, end, input and output; until it came the trace is RUNNING and called after its first span.
 * The start is the earliest of all spans. Where the root does not tell, the earliest span that does is asked; what a root that
 * failed did not put out nobody did.
 */
export const derivedFields = (spans: readonly Span[], metadata: JsonObject): Derived | null => {
  const ordered = spans.toSorted(byStart);
  const [first] = ordered;
  if (first === undefined) return null;
  const root = rootOf(ordered);
  const asked = root === undefined ? ordered : [root, ...ordered];
  const speakers = ordered.filter(isSpeaking);
  const ended = root?.ended_at ?? null;
  const said = (key: ToldKey): string | null => firstOf(asked, (span) => toldBy(key, span, metadata));
  return {
    name: traceNameBy(root ?? first),
    status: ended === null ? "RUNNING" : root?.status === "ERROR" ? "ERROR" : "COMPLETED",
    input: root?.input ?? firstOf(speakers, ({ input }) => input),
    output: ended === null ? null : (root?.output ?? (root?.status === "ERROR" ? null : lastSaid(speakers))),
    started_at: first.started_at,
    ended_at: ended,
    session_id: said("session_id"),
    user_id: said("user_id"),
    environment: said("environment"),
    release: said("release"),
  };
};

/** What was sent; a span that has not ended is followed by the stored one that has, which has the last word. */
const withEndsLast = (before: readonly Span[], sent: readonly IdentifiedSpan[]): readonly IdentifiedSpan[] => {
  const ended = new Map(before.filter(({ ended_at }) => ended_at !== null).map((span) => [span.span_id, span]));
  return sent.flatMap((span) => {
    const kept = ended.get(span.span_id);
    return kept === undefined || (span.ended_at ?? null) !== null || isAwaited(span) ? [span] : [span, kept];
  });
};

/**
 * A stored trace after spans of OpenTelemetry came. What follows from the spans follows them; a field that was set
 * otherwise, by a patch or by another client, stays as it was set.
 */
export const mergeTelemetry = (before: Trace, sent: IdentifiedTrace): Trace => {
  const { metadata, tags, spans } = mergeTrace(before, {
    ...sent,
    spans: withEndsLast(before.spans, sent.spans ?? []),
  });
  const was = derivedFields(before.spans, before.metadata);
  const is = derivedFields(spans, metadata);
  // Nobody has said anything of a trace that was begun for its scores: its first spans say all.
  const isBegun = was === null && isOfTelemetry(before);
  const after = <Key extends keyof Derived>(key: Key): Derived[Key] =>
    is !== null && (isBegun || isDeepStrictEqual(before[key], was?.[key] ?? null)) ? is[key] : before[key];
  return {
    trace_id: before.trace_id,
    name: after("name"),
    status: after("status"),
    input: after("input"),
    output: after("output"),
    metadata,
    started_at: after("started_at"),
    ended_at: after("ended_at"),
    session_id: after("session_id"),
    user_id: after("user_id"),
    tags: tags.slice(0, maxTags),
    environment: after("environment"),
    release: after("release"),
    spans,
  };
};
