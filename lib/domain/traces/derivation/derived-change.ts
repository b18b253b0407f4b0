import type { Instant } from "../../instant.ts";
import type { Json, JsonObject } from "../../json.ts";
import { spanKeys } from "../span-filter-keys.ts";
import {
  byStart,
  carriesConversation,
  lastSetting,
  resourceKey,
  resourceKeyOf,
  labelOf,
  labelKeys,
  setNameOf,
  setValueOf,
  topSpansOf,
  type LabelKey,
} from "../telemetry.ts";
import { isInconclusive } from "./derived-fields.ts";
import type { TraceEnding } from "../times.ts";
import type { Span, Trace } from "../trace.ts";
import {
  type TopSpans,
  type InputSources,
  type DerivedKey,
  maxResources,
  maxCallers,
  hashOf,
  isResourceKey,
  topsOf,
  settingOf,
  firstWithInput,
  type Derivation,
  type SettingSpan,
  type SourceSpan,
  derivedKeys,
} from "./derivation.ts";

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
  readonly ending: TraceEnding;
}

/** The derived fields under their names in a trace. */
type RowFields = Pick<Trace, DerivedKey>;

/** Returns the fields of a row; those that an end by silence has set are open again. */
const fieldsOf = (row: DerivedRow, { derived }: Derivation): RowFields => ({
  name: row.name,
  status: row.ending === "silence" && derived.has("status") ? "RUNNING" : row.status,
  started_at: row.startedAt,
  ended_at: row.ending === "silence" && derived.has("ended_at") ? null : row.endedAt,
  session_id: row.sessionId,
  user_id: row.userId,
  environment: row.environment,
  release: row.release,
});

/** The changes to derived fields caused by added spans. */
interface DerivedChange {
  readonly derivation: Derivation;
  /** True if the trace awaits its end by silence. */
  readonly isAwaited: boolean;
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

/** Outcome of an update for which the document has to be read. */
const unknown = "unknown";
type Unknown = typeof unknown;

/** True if an added span would change nothing as a top span of a trace that has others. */
const isWithin = (span: Span, before: Derivation): boolean => {
  const { started_at: start, ended_at: end, status, input } = span;
  const { tops, inputs } = before;
  if (tops === null || status === "ERROR" || end === null || isInconclusive(span)) return false;
  const isInside = start > tops.at && tops.endedAt !== null && end <= tops.endedAt;
  return isInside && (input === null || (inputs.head !== null && inputs.head < start));
};

/**
 * Returns the added top spans by start, without those that change nothing.
 *
 * @param conflictingKeys receives the filter keys that the trace must not have for the result to hold.
 */
const addedTops = (ordered: readonly Span[], before: Derivation, conflictingKeys: Set<string>): readonly Span[] =>
  topSpansOf(ordered).filter((span) => {
    const { parent_span_id: parent } = span;
    if (parent === null) return true;
    if (isWithin(span, before)) return false;
    for (const key of spanKeys(parent)) conflictingKeys.add(key);
    return true;
  });

/** Adds top spans to those of a trace. */
const withTops = (before: TopSpans | null, added: TopSpans | null): TopSpans | null | Unknown => {
  if (before === null || added === null) return added ?? before;
  // Of spans that start at the same instant the id decides, which only the document has.
  if (before.at === added.at) return unknown;
  const callers = before.callers.union(added.callers);
  if (callers.size > maxCallers) return unknown;
  return {
    at: before.at < added.at ? before.at : added.at,
    callers,
    endedAt: (before.endedAt ?? "") > (added.endedAt ?? "") ? before.endedAt : added.endedAt,
    isOpen: before.isOpen || added.isOpen,
    hasFailed: before.hasFailed || added.hasFailed,
    hasInconclusive: before.hasInconclusive || added.hasInconclusive,
  };
};

/** Returns the added span on which a client has set a field of the trace, if it was sent after that of the trace. */
const laterSetting = (
  field: "name" | "input",
  before: SettingSpan | null,
  spans: readonly Span[],
): Span | null | Unknown => {
  const span = lastSetting(field, spans);
  if (span === undefined) return null;
  const orderOf = ({ ended_at: end, started_at: start }: SettingSpan): string => `${end ?? ""} ${start}`;
  if (before === null || orderOf(before) < orderOf(span)) return span;
  return orderOf(before) === orderOf(span) ? unknown : null;
};

/** Returns the added span with an input that starts before the trace's first one; undefined if none does. */
const earlierInput = (before: Instant | null, ordered: readonly Span[]): Span | undefined | Unknown => {
  if (before !== null && ordered.some(({ started_at: start }) => start === before)) return unknown;
  const span = firstWithInput(ordered);
  return span === undefined || (before !== null && span.started_at > before) ? undefined : span;
};

/** The starts of spans with an input, and the setting of the input, after spans were added. */
interface InputChange extends Pick<Derivation, "inputs"> {
  readonly setting: SettingSpan | null;
  /** The new input; absent if it is unchanged. */
  readonly input?: Json;
}

/** Determines the input after spans were added, of which `added` are top spans. */
const inputAfter = (
  { tops: topsBefore, inputs: before, settings }: Derivation,
  tops: TopSpans | null,
  added: readonly Span[],
  ordered: readonly Span[],
): InputChange | Unknown => {
  const isFirstTop = topsBefore === null && tops !== null;
  const headBefore = isFirstTop ? null : before.head;
  const setting = laterSetting("input", settings.input, ordered);
  const head = earlierInput(headBefore, tops === null ? ordered : added);
  const conversation = earlierInput(before.conversation, ordered.filter(carriesConversation));
  if (setting === unknown || head === unknown || conversation === unknown) return unknown;
  // Of spans that start at the same instant that without a stored parent comes first.
  if (tops === null && ordered.some((span) => span !== head && span.started_at === head?.started_at)) return unknown;
  const isUnchanged = head === undefined && conversation === undefined;
  const inputs: InputSources = {
    head: head?.started_at ?? headBefore,
    conversation: conversation?.started_at ?? before.conversation,
    isSame: tops === null && (isUnchanged ? before.isSame : head === conversation),
  };
  if (setting !== null) return { inputs, setting: settingOf(setting), input: setValueOf("input", setting) };
  if (settings.input !== null) return { inputs, setting: settings.input };
  const span = head ?? (inputs.head === null ? conversation : undefined);
  if (span !== undefined) return { inputs, setting: null, input: span.input };
  const isOfOther = isFirstTop && before.head !== null && !before.isSame;
  return isOfOther ? unknown : { inputs, setting: null };
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
  if (spans.some(({ span_id: id }) => before.tops?.callers.has(id) === true)) return null;
  const conflictingKeys = new Set<string>();
  const added = addedTops(ordered, before, conflictingKeys);
  const tops = withTops(before.tops, topsOf(added));
  const nameSetting = laterSetting("name", before.settings.name, spans);
  if (tops === unknown || nameSetting === unknown) return null;
  const newRootSpan = tops === null || tops.at === before.tops?.at ? null : (added[0] ?? null);

  const changes: { -readonly [Key in DerivedKey]?: RowFields[Key] } = {};
  if (tops === null) {
    if (first.started_at === row.firstSpanAt || ordered[1]?.started_at === first.started_at) return null;
    if (first.started_at < row.startedAt && !before.derived.has("started_at")) return null;
    if (first.started_at < row.firstSpanAt) [changes.started_at, changes.name] = [first.started_at, first.name];
  } else if (added.length > 0) {
    // The start of the trace may be one that a client has set, which the document has.
    const isStartUnknown = !before.derived.has("started_at") && (before.tops === null || tops.at < row.startedAt);
    if (isStartUnknown) return null;
    changes.started_at = tops.at;
    changes.ended_at = tops.isOpen ? null : tops.endedAt;
    changes.status = tops.isOpen ? "RUNNING" : tops.hasFailed ? "ERROR" : "COMPLETED";
    if (newRootSpan !== null) changes.name = newRootSpan.name;
  }
  const setName = nameSetting === null ? null : setNameOf(nameSetting);
  if (setName !== null) changes.name = setName;
  else if (before.settings.name !== null) delete changes.name;

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

  const newInput = inputAfter(before, tops, added, ordered);
  // The row does not store the input: a possibly overwritten input can only be resolved from the document.
  if (newInput === unknown || (newInput.input !== undefined && !(applies && before.isInputDerived))) return null;

  const currentFields = fieldsOf(row, before);
  const derivedFieldKeys = new Set(before.derived);
  const fields: Record<string, unknown> = { ...currentFields };
  for (const key of derivedKeys) {
    const value = changes[key];
    if (value === undefined) continue;
    if (applies && derivedFieldKeys.has(key)) fields[key] = value;
    else if (value !== currentFields[key]) derivedFieldKeys.delete(key);
    // The document tells whether a client has set the field, or the row has the derived value again.
    else if (!derivedFieldKeys.has(key)) return null;
  }
  return {
    isAwaited: tops === null && fields["status"] === "RUNNING" && fields["ended_at"] === null,
    derivation: {
      tops,
      sources,
      settings: { name: nameSetting === null ? before.settings.name : settingOf(nameSetting), input: newInput.setting },
      inputs: newInput.inputs,
      isInputDerived: before.isInputDerived,
      derived: derivedFieldKeys,
      isPure: before.isPure && applies,
      resources,
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key holds a value of its own type.
    fields: fields as unknown as RowFields,
    ...(newInput.input === undefined ? {} : { input: newInput.input }),
    conflictingKeys,
    metadataBytes: bytes,
  };
};
