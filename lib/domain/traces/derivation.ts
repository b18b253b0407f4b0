import { hash } from "node:crypto";
import type { Instant } from "../instant.ts";
import { equalsJson, type Json, type JsonObject } from "../json.ts";
import { spanKeys } from "./span-filter-keys.ts";
import {
  byStart,
  derivedFields,
  hasRemoteParent,
  carriesConversation,
  resourceKey,
  resourceKeyOf,
  rootOf,
  labelOf,
  labelKeys,
  isTelemetryKey,
  metadataBySpans,
  traceNameBy,
  type LabelKey,
} from "./telemetry.ts";
import type { Span, Trace } from "./trace.ts";

/** Fields of a trace row that are derived from OpenTelemetry spans. */
export const derivedKeys = ["name", "status", "started_at", "ended_at", ...labelKeys] as const;
type DerivedKey = (typeof derivedKeys)[number];

/** The root span of a trace: its start, and the id of its remote parent if it was called from another process. */
interface Root {
  readonly at: Instant;
  readonly calledFrom: string | null;
}

/** The span that provides a field of the trace: `root`, the start of another span, or null if none does. */
export type SourceSpan = Instant | null;

/** The information needed to update derived fields of a trace when spans are added, without reading the others. */
export interface Derivation {
  /** The root span; null if no span is the root yet. */
  readonly root: Root | null;
  readonly sources: Readonly<Record<LabelKey, SourceSpan>>;
  /** The span that determines the input; `isDerived` is true if the trace's input is the derived one. */
  readonly input: { readonly source: SourceSpan; readonly isDerived: boolean };
  /** Fields of the row that still have their derived values; the remaining fields were overwritten by clients. */
  readonly derived: ReadonlySet<DerivedKey>;
  /** True if all derived fields, including input, output and metadata, have their derived values. */
  readonly isPure: boolean;
  /** Resources in the metadata: a short hash of each, by metadata key. */
  readonly resources: ReadonlyMap<string, string>;
}

/** Maximum number of resources for which a row stores the derivation. */
const maxResources = 16;

const hashBytes = 6;

const hashOf = (value: Json | undefined): string =>
  hash("sha256", JSON.stringify(value ?? null), "buffer").toString("base64url", 0, hashBytes);

const isResourceKey = (key: string): boolean => key.startsWith(resourceKey(""));

const resourcesIn = (metadata: JsonObject): ReadonlyMap<string, string> =>
  new Map(Object.entries(metadata).flatMap(([key, value]) => (isResourceKey(key) ? [[key, hashOf(value)]] : [])));

/** Computes the derivation of a trace of OpenTelemetry spans; null if it would be too large or is ambiguous. */
export const derivationOf = (trace: Trace): Derivation | null => {
  const { spans, metadata } = trace;
  const derived = derivedFields(spans, metadata);
  const resources = resourcesIn(metadata);
  if (derived === null || resources.size > maxResources || resources.has(resourceKey(""))) return null;
  const resourceKeys = new Set(spans.map(resourceKeyOf));
  resourceKeys.delete(resourceKey(""));
  // A resource that arrives later would change the labels of spans that are stored already.
  if (!resourceKeys.isSubsetOf(resources)) return null;
  const ordered = spans.toSorted(byStart);
  const root = rootOf(ordered);
  const sourceOf = (key: LabelKey): SourceSpan => {
    const hasLabel = (span: Span): boolean => labelOf(key, span, metadata) !== null;
    if (root !== undefined && hasLabel(root)) return "root";
    return ordered.find(hasLabel)?.started_at ?? null;
  };
  const firstConversationSpan = ordered.find((span) => carriesConversation(span) && span.input !== null);
  const inputSource = root !== undefined && root.input !== null ? "root" : (firstConversationSpan?.started_at ?? null);
  const programMetadata = Object.fromEntries(Object.entries(metadata).filter(([key]) => !isTelemetryKey(key)));
  const derivedFieldKeys = new Set(derivedKeys.filter((key) => equalsJson(trace[key], derived[key])));
  return {
    root: root === undefined ? null : { at: root.started_at, calledFrom: root.parent_span_id },
    sources: {
      session_id: sourceOf("session_id"),
      user_id: sourceOf("user_id"),
      environment: sourceOf("environment"),
      release: sourceOf("release"),
    },
    input: { source: inputSource, isDerived: equalsJson(trace.input, derived.input) },
    derived: derivedFieldKeys,
    isPure:
      derivedFieldKeys.size === derivedKeys.length &&
      equalsJson(trace.input, derived.input) &&
      equalsJson(trace.output, derived.output) &&
      equalsJson(programMetadata, metadataBySpans(spans)),
    resources,
  };
};

/** Fields of a trace row that derivation reads. */
interface DerivedRow {
  readonly name: string;
  readonly status: Trace["status"];
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly environment: string | null;
  readonly release: string | null;
  readonly firstSpanAt: Instant | null;
}

/** The derived fields under their names in a trace. */
type RowFields = Pick<Trace, DerivedKey>;

const fieldsOf = (row: DerivedRow): RowFields => ({
  name: row.name,
  status: row.status,
  started_at: row.startedAt,
  ended_at: row.endedAt,
  session_id: row.sessionId,
  user_id: row.userId,
  environment: row.environment,
  release: row.release,
});

/** The changes to derived fields caused by added spans. */
interface DerivedChange {
  readonly derivation: Derivation;
  readonly fields: RowFields;
  /** The new input; absent if it is unchanged. */
  readonly input?: Json;
  /**
   * Further filter keys that the trace must not have, in addition to those of the spans; otherwise the document has to
   * be read.
   */
  readonly conflictingKeys: ReadonlySet<string>;
  /** Bytes of JSON that the metadata grows by. */
  readonly metadataBytes: number;
}

/** Adds resources to the known ones; null if a resource changes, since that could change the labels of stored spans. */
const withResources = (
  before: ReadonlyMap<string, string>,
  sentMetadata: JsonObject,
): { readonly resources: ReadonlyMap<string, string>; readonly bytes: number } | null => {
  const resources = new Map(before);
  let bytes = 0;
  for (const [key, value] of Object.entries(sentMetadata)) {
    if (!isResourceKey(key)) {
      bytes += Buffer.byteLength(JSON.stringify({ [key]: value }));
      continue;
    }
    const [knownHash, newHash] = [before.get(key), hashOf(value)];
    if (knownHash === undefined) {
      resources.set(key, newHash);
      bytes += Buffer.byteLength(JSON.stringify({ [key]: value }));
    } else if (knownHash !== newHash) {
      return null;
    }
  }
  return resources.size > maxResources || resources.has(resourceKey("")) ? null : { resources, bytes };
};

/**
 * Returns the added span that may be the root; null if none can be.
 *
 * @param conflictingKeys receives the filter keys that the trace must not have for the result to hold.
 */
const newRoot = (ordered: readonly Span[], root: Root | null, conflictingKeys: Set<string>): Span | null => {
  const parentless = ordered.find(({ parent_span_id: parent }) => parent === null);
  if (parentless !== undefined) return parentless;
  if (root !== null && root.calledFrom === null) return null;
  const ids = new Set(ordered.map(({ span_id: id }) => id));
  for (const span of ordered) {
    if (!hasRemoteParent(span) || span.parent_span_id === null || ids.has(span.parent_span_id)) continue;
    for (const key of spanKeys(span.parent_span_id)) conflictingKeys.add(key);
    return span;
  }
  return null;
};

/**
 * Determines the span that provides the input after spans were added; `span` is set if it is an added one. `unknown`
 * if the document has to be read.
 */
const inputAfter = (
  source: SourceSpan,
  root: Span | null,
  ordered: readonly Span[],
): { readonly source: SourceSpan; readonly span: Span | null } | "unknown" => {
  if (root !== null && root.input !== null) return { source: "root", span: root };
  if (source === "root") return root === null ? { source, span: null } : "unknown";
  const span = ordered.find((each) => carriesConversation(each) && each.input !== null);
  if (span === undefined || (source !== null && span.started_at > source)) return { source, span: null };
  return span.started_at === source ? "unknown" : { source: span.started_at, span };
};

/**
 * Computes the derived fields of a trace after new spans were added; null if the document has to be read.
 *
 * @param applies false if the spans were not sent by OpenTelemetry, so that the fields stay unchanged.
 */
export const derivedChange = (
  row: DerivedRow,
  before: Derivation,
  spans: readonly Span[],
  sentMetadata: JsonObject,
  applies: boolean,
): DerivedChange | null => {
  const resourceChange = withResources(before.resources, sentMetadata);
  if (resourceChange === null || row.firstSpanAt === null) return null;
  const { resources, bytes } = resourceChange;
  const ordered = spans.toSorted(byStart);
  const [first] = ordered;
  if (first === undefined) return null;
  // The attributes of a resource that is not in this request are only in the document.
  const hasSentResource = (span: Span): boolean => {
    const key = resourceKeyOf(span);
    return key === resourceKey("") || Object.hasOwn(sentMetadata, key);
  };
  if (!spans.every(hasSentResource)) return null;
  const conflictingKeys = new Set<string>();
  const { root } = before;
  if (root !== null && root.calledFrom !== null && spans.some(({ span_id: id }) => id === root.calledFrom)) return null;

  const candidate = newRoot(ordered, root, conflictingKeys);
  const isStronger =
    candidate !== null && candidate.parent_span_id === null && root !== null && root.calledFrom !== null;
  if (candidate !== null && root !== null && !isStronger && candidate.started_at === root.at) return null;
  const newRootSpan =
    candidate !== null && (root === null || isStronger || candidate.started_at < root.at) ? candidate : null;

  const changes: { -readonly [Key in DerivedKey]?: RowFields[Key] } = {};
  if (first.started_at < row.firstSpanAt) changes.started_at = first.started_at;
  if (newRootSpan !== null) {
    changes.name = traceNameBy(newRootSpan);
    changes.ended_at = newRootSpan.ended_at;
    changes.status = newRootSpan.ended_at === null ? "RUNNING" : newRootSpan.status === "ERROR" ? "ERROR" : "COMPLETED";
  } else if (root === null && first.started_at <= row.firstSpanAt) {
    if (first.started_at === row.firstSpanAt) return null;
    changes.name = traceNameBy(first);
  }

  const sources: Record<LabelKey, SourceSpan> = { ...before.sources };
  for (const key of labelKeys) {
    const rootLabel = newRootSpan === null ? null : labelOf(key, newRootSpan, sentMetadata);
    const source = before.sources[key];
    if (rootLabel !== null) {
      sources[key] = "root";
      changes[key] = rootLabel;
      continue;
    }
    // The former root becomes an ordinary span: only the document shows which span provides the label now.
    if (newRootSpan !== null && source === "root") return null;
    if (source === "root") continue;
    const labelSpan = ordered.find((span) => labelOf(key, span, sentMetadata) !== null);
    if (labelSpan === undefined || (source !== null && labelSpan.started_at > source)) continue;
    if (source === labelSpan.started_at) return null;
    sources[key] = labelSpan.started_at;
    changes[key] = labelOf(key, labelSpan, sentMetadata);
  }

  const newInput = inputAfter(before.input.source, newRootSpan, ordered);
  // The row does not store the input: a possibly overwritten input can only be resolved from the document.
  if (newInput === "unknown" || (newInput.span !== null && !(applies && before.input.isDerived))) return null;

  const currentFields = fieldsOf(row);
  const derivedFieldKeys = new Set(before.derived);
  const fields: Record<string, unknown> = { ...currentFields };
  for (const key of derivedKeys) {
    const value = changes[key];
    if (value === undefined) continue;
    if (applies && derivedFieldKeys.has(key)) fields[key] = value;
    else if (value === currentFields[key]) derivedFieldKeys.add(key);
    else derivedFieldKeys.delete(key);
  }
  return {
    derivation: {
      root: newRootSpan === null ? root : { at: newRootSpan.started_at, calledFrom: newRootSpan.parent_span_id },
      sources,
      input: { source: newInput.source, isDerived: before.input.isDerived },
      derived: derivedFieldKeys,
      isPure: before.isPure && applies,
      resources,
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key holds a value of its own type.
    fields: fields as unknown as RowFields,
    ...(newInput.span === null ? {} : { input: newInput.span.input }),
    conflictingKeys,
    metadataBytes: bytes,
  };
};
