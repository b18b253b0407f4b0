import { hash } from "node:crypto";
import type { Instant } from "../../instant.ts";
import { equalsJson, type Json, type JsonObject } from "../../json.ts";
import { setFieldsOf, setStartOf } from "../parts/set-fields.ts";
import {
  byEnd,
  byStart,
  carriesConversation,
  lastSetting,
  resourceKey,
  resourceKeyOf,
  labelOf,
  labelKeys,
  isTelemetryKey,
  topSpansOf,
  type LabelKey,
} from "../telemetry.ts";
import { derivedFields, isInconclusive, spansByPrecedence } from "./derived-fields.ts";
import { metadataBySpans } from "./merge-telemetry.ts";
import type { Span, Trace } from "../trace.ts";

/** Fields of a trace row that are derived from OpenTelemetry spans. */
export const derivedKeys = ["name", "status", "started_at", "ended_at", ...labelKeys] as const;
export type DerivedKey = (typeof derivedKeys)[number];

/** The top spans of a trace, see `topSpansOf`. */
export interface TopSpans {
  /** Start of the first one, the root. */
  readonly at: Instant;
  /** Ids of remote parents: if the span with such an id arrives, its child is no top span any more. */
  readonly callers: ReadonlySet<string>;
  /** Last end; null if none has ended. */
  readonly endedAt: Instant | null;
  readonly isOpen: boolean;
  readonly hasFailed: boolean;
  /** True if one of them is inconclusive: whether it has failed depends on its last step. */
  readonly hasInconclusive: boolean;
}

/** The span that provides a field of the trace: `root`, the start of another span, or null if none does. */
export type SourceSpan = Instant | null;

/** End and start of the last span on which a client has set a field of the trace. */
export type SettingSpan = Pick<Span, "started_at" | "ended_at">;

/** Starts of the first spans with an input: the first of them that exists provides the trace's; null without one. */
export interface InputSources {
  /** Of the top spans; of all spans while there is no top span. */
  readonly head: Instant | null;
  /** Of the spans that carry conversations. */
  readonly conversation: Instant | null;
  /** True while there is no top span, and both are the same span. */
  readonly isSame: boolean;
}

/** The information needed to update derived fields of a trace when spans are added, without reading the others. */
export interface Derivation {
  /** Null while there is none. */
  readonly tops: TopSpans | null;
  readonly sources: Readonly<Record<LabelKey, SourceSpan>>;
  readonly settings: Readonly<Record<"name" | "input", SettingSpan | null>>;
  readonly inputs: InputSources;
  /** True if the trace's input is the derived one. */
  readonly isInputDerived: boolean;
  /** Fields of the row that still have their derived values; the remaining fields were overwritten by clients. */
  readonly derived: ReadonlySet<DerivedKey>;
  /** True if all derived fields, including input, output and metadata, have their derived values. */
  readonly isPure: boolean;
  /** Resources in the metadata: a short hash of each, by metadata key. */
  readonly resources: ReadonlyMap<string, string>;
}

/** Maximum number of resources for which a row stores the derivation. */
export const maxResources = 16;

/** Maximum number of remote parents for which a row stores the derivation. */
export const maxCallers = 16;

const hashBytes = 6;

export const hashOf = (value: Json | undefined): string =>
  hash("sha256", JSON.stringify(value ?? null), "buffer").toString("base64url", 0, hashBytes);

export const isResourceKey = (key: string): boolean => key.startsWith(resourceKey(""));

const resourcesIn = (metadata: JsonObject): ReadonlyMap<string, string> =>
  new Map(Object.entries(metadata).flatMap(([key, value]) => (isResourceKey(key) ? [[key, hashOf(value)]] : [])));

/** Describes top spans; null without any. */
export const topsOf = (tops: readonly Span[]): TopSpans | null => {
  const [root] = tops;
  if (root === undefined) return null;
  return {
    at: root.started_at,
    callers: new Set(tops.flatMap(({ parent_span_id: parent }) => parent ?? [])),
    endedAt: tops.toSorted(byEnd).at(-1)?.ended_at ?? null,
    isOpen: tops.some(({ ended_at: end }) => end === null),
    hasFailed: tops.some(({ status }) => status === "ERROR"),
    hasInconclusive: tops.some(isInconclusive),
  };
};

export const settingOf = (span: SettingSpan | undefined): SettingSpan | null =>
  span === undefined ? null : { started_at: span.started_at, ended_at: span.ended_at };

/** Returns the first of some spans that has an input. */
export const firstWithInput = (spans: readonly Span[]): Span | undefined => spans.find(({ input }) => input !== null);

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
  const topSpans = topSpansOf(ordered);
  const tops = topsOf(topSpans);
  if ((tops?.callers.size ?? 0) > maxCallers) return null;
  const sourceOf = (key: LabelKey): SourceSpan => {
    const hasLabel = (span: Span): boolean => labelOf(key, span, metadata) !== null;
    const [root] = topSpans;
    if (root !== undefined && hasLabel(root)) return "root";
    return ordered.find(hasLabel)?.started_at ?? null;
  };
  const [head, conversation] = [spansByPrecedence(ordered, topSpans), ordered.filter(carriesConversation)].map(
    firstWithInput,
  );
  const programMetadata = Object.fromEntries(Object.entries(metadata).filter(([key]) => !isTelemetryKey(key)));
  const setFields = setFieldsOf(metadata);
  const derivedFieldKeys = new Set(
    derivedKeys.filter((key) => !setFields.has(key) && equalsJson(trace[key], derived[key])),
  );
  // Only the document has the start that a client has set beside that of the spans.
  if (setStartOf(metadata) !== null) derivedFieldKeys.delete("started_at");
  const isInputDerived = !setFields.has("input") && equalsJson(trace.input, derived.input);
  return {
    tops,
    sources: {
      session_id: sourceOf("session_id"),
      user_id: sourceOf("user_id"),
      environment: sourceOf("environment"),
      release: sourceOf("release"),
    },
    settings: { name: settingOf(lastSetting("name", spans)), input: settingOf(lastSetting("input", spans)) },
    inputs: {
      head: head?.started_at ?? null,
      conversation: conversation?.started_at ?? null,
      isSame: tops === null && head === conversation,
    },
    isInputDerived,
    derived: derivedFieldKeys,
    isPure:
      derivedFieldKeys.size === derivedKeys.length &&
      isInputDerived &&
      equalsJson(trace.output, derived.output) &&
      equalsJson(programMetadata, metadataBySpans(spans)),
    resources,
  };
};
