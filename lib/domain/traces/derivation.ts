import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Instant } from "../instant.ts";
import type { Json, JsonObject } from "../json.ts";
import { spanMark } from "./span-marks.ts";
import {
  byStart,
  derivedFields,
  isCalledFromAfar,
  isSpeaking,
  resourceKey,
  resourceKeyOf,
  rootOf,
  toldBy,
  toldKeys,
  traceNameBy,
  type ToldKey,
} from "./telemetry.ts";
import type { Span, Trace } from "./trace.ts";

/** Fields of a row that follow from the spans of OpenTelemetry. */
export const followingKeys = ["name", "status", "started_at", "ended_at", ...toldKeys] as const;
type FollowingKey = (typeof followingKeys)[number];

/** The root of a trace: when it started, and the id of the parent in another process that it was called from. */
interface Root {
  readonly at: Instant;
  readonly calledFrom: string | null;
}

/** Who tells something of a trace: `root`, another span, by its start, or nobody. */
export type Teller = Instant | null;

/** How the fields of a trace follow from its spans: what has to be known to say what they are after more spans have come. */
export interface Derivation {
  /** Null: no span is the root yet. */
  readonly root: Root | null;
  readonly told: Readonly<Record<ToldKey, Teller>>;
  /** Who tells the input, and whether the trace's is what follows from the spans. */
  readonly input: { readonly teller: Teller; readonly follows: boolean };
  /** Fields of the row that are what follows from the spans; others were set otherwise. */
  readonly follows: ReadonlySet<FollowingKey>;
  /** Whether all fields are what follows from the spans, input and output included. */
  readonly isPure: boolean;
  /** The resources in the metadata: a short hash of each by its key. */
  readonly resources: ReadonlyMap<string, string>;
}

/** Resources beyond which a trace's row does not say how its fields follow. */
const mostResources = 16;

const hashBytes = 6;

const hashOf = (value: Json | undefined): string =>
  hash("sha256", JSON.stringify(value ?? null), "buffer").toString("base64url", 0, hashBytes);

const isResourceKey = (key: string): boolean => key.startsWith(resourceKey(""));

const resourcesIn = (metadata: JsonObject): ReadonlyMap<string, string> =>
  new Map(Object.entries(metadata).flatMap(([key, value]) => (isResourceKey(key) ? [[key, hashOf(value)]] : [])));

/** What is known of a trace whose spans came by OpenTelemetry; null where it is too much, or cannot be said. */
export const derivationOf = (trace: Trace): Derivation | null => {
  const { spans, metadata } = trace;
  const derived = derivedFields(spans, metadata);
  const resources = resourcesIn(metadata);
  if (derived === null || resources.size > mostResources || resources.has(resourceKey(""))) return null;
  const named = new Set(spans.map(resourceKeyOf));
  named.delete(resourceKey(""));
  // What a resource says that comes later would change what spans tell that are there already.
  if (!named.isSubsetOf(resources)) return null;
  const ordered = spans.toSorted(byStart);
  const root = rootOf(ordered);
  const tellerOf = (key: ToldKey): Teller => {
    const speaks = (span: Span): boolean => toldBy(key, span, metadata) !== null;
    if (root !== undefined && speaks(root)) return "root";
    return ordered.find(speaks)?.started_at ?? null;
  };
  const speaker = ordered.find((span) => isSpeaking(span) && span.input !== null);
  const inputTeller = root !== undefined && root.input !== null ? "root" : (speaker?.started_at ?? null);
  const follows = new Set(followingKeys.filter((key) => isDeepStrictEqual(trace[key], derived[key])));
  return {
    root: root === undefined ? null : { at: root.started_at, calledFrom: root.parent_span_id },
    told: {
      session_id: tellerOf("session_id"),
      user_id: tellerOf("user_id"),
      environment: tellerOf("environment"),
      release: tellerOf("release"),
    },
    input: { teller: inputTeller, follows: isDeepStrictEqual(trace.input, derived.input) },
    follows,
    isPure:
      follows.size === followingKeys.length &&
      isDeepStrictEqual(trace.input, derived.input) &&
      isDeepStrictEqual(trace.output, derived.output),
    resources,
  };
};

/** What a row has of what follows from spans. */
interface FollowingRow {
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

/** The fields of a row under the names that a trace has for them. */
type RowFields = Pick<Trace, FollowingKey>;

const fieldsOf = (row: FollowingRow): RowFields => ({
  name: row.name,
  status: row.status,
  started_at: row.startedAt,
  ended_at: row.endedAt,
  session_id: row.sessionId,
  user_id: row.userId,
  environment: row.environment,
  release: row.release,
});

/** What became of a trace's fields by spans that it did not have. */
interface Derived {
  readonly derivation: Derivation;
  readonly fields: RowFields;
  /** What the input is then; absent where it stays. */
  readonly input?: Json;
  /** Marks that the trace must not have, beside those of the spans: with one of them it has to be read. */
  readonly marksAgainst: ReadonlySet<string>;
  /** Bytes of JSON by which the metadata grows. */
  readonly metadataBytes: number;
}

/** The resources after more metadata; null when one of them changes, so that other spans may tell something else. */
const withResources = (
  before: ReadonlyMap<string, string>,
  sent: JsonObject,
): { readonly resources: ReadonlyMap<string, string>; readonly bytes: number } | null => {
  const resources = new Map(before);
  let bytes = 0;
  for (const [key, value] of Object.entries(sent)) {
    if (!isResourceKey(key)) {
      bytes += Buffer.byteLength(JSON.stringify({ [key]: value }));
      continue;
    }
    const [known, is] = [before.get(key), hashOf(value)];
    if (known === undefined) {
      resources.set(key, is);
      bytes += Buffer.byteLength(JSON.stringify({ [key]: value }));
    } else if (known !== is) {
      return null;
    }
  }
  return resources.size > mostResources || resources.has(resourceKey("")) ? null : { resources, bytes };
};

/** The root among spans that are new to a trace; `asked` gets the marks that it must not have for that to be so. */
const newRoot = (ordered: readonly Span[], root: Root | null, asked: Set<string>): Span | null => {
  const parentless = ordered.find(({ parent_span_id: parent }) => parent === null);
  if (parentless !== undefined) return parentless;
  if (root !== null && root.calledFrom === null) return null;
  const ids = new Set(ordered.map(({ span_id: id }) => id));
  for (const span of ordered) {
    if (!isCalledFromAfar(span) || span.parent_span_id === null || ids.has(span.parent_span_id)) continue;
    asked.add(spanMark(span.parent_span_id));
    return span;
  }
  return null;
};

/** Who tells a trace's input after more spans, and the one of these that does it now; `unknown` where the document has to be asked. */
const inputAfter = (
  teller: Teller,
  root: Span | null,
  ordered: readonly Span[],
): { readonly teller: Teller; readonly span: Span | null } | "unknown" => {
  if (root !== null && root.input !== null) return { teller: "root", span: root };
  if (teller === "root") return root === null ? { teller, span: null } : "unknown";
  const span = ordered.find((each) => isSpeaking(each) && each.input !== null);
  if (span === undefined || (teller !== null && span.started_at > teller)) return { teller, span: null };
  return span.started_at === teller ? "unknown" : { teller: span.started_at, span };
};

/**
 * What follows from a trace's spans after more of them, none of which it has. Null where only the document tells.
 *
 * @param applies whether the fields follow: spans that did not come by OpenTelemetry leave them.
 */
export const derivedBy = (
  row: FollowingRow,
  before: Derivation,
  spans: readonly Span[],
  sent: JsonObject,
  applies: boolean,
): Derived | null => {
  const found = withResources(before.resources, sent);
  if (found === null || row.firstSpanAt === null) return null;
  const { resources, bytes } = found;
  const ordered = spans.toSorted(byStart);
  const [first] = ordered;
  if (first === undefined) return null;
  // What the metadata says of a resource that was not sent along is in the document alone.
  const inSent = (span: Span): boolean => {
    const key = resourceKeyOf(span);
    return key === resourceKey("") || Object.hasOwn(sent, key);
  };
  if (!spans.every(inSent)) return null;
  const asked = new Set<string>();
  const { root } = before;
  if (root !== null && root.calledFrom !== null && spans.some(({ span_id: id }) => id === root.calledFrom)) return null;

  const candidate = newRoot(ordered, root, asked);
  const isStronger =
    candidate !== null && candidate.parent_span_id === null && root !== null && root.calledFrom !== null;
  if (candidate !== null && root !== null && !isStronger && candidate.started_at === root.at) return null;
  const next = candidate !== null && (root === null || isStronger || candidate.started_at < root.at) ? candidate : null;

  const changes: { -readonly [Key in FollowingKey]?: RowFields[Key] } = {};
  if (first.started_at < row.firstSpanAt) changes.started_at = first.started_at;
  if (next !== null) {
    changes.name = traceNameBy(next);
    changes.ended_at = next.ended_at;
    changes.status = next.ended_at === null ? "RUNNING" : next.status === "ERROR" ? "ERROR" : "COMPLETED";
  } else if (root === null && first.started_at <= row.firstSpanAt) {
    if (first.started_at === row.firstSpanAt) return null;
    changes.name = traceNameBy(first);
  }

  const told: Record<ToldKey, Teller> = { ...before.told };
  for (const key of toldKeys) {
    const own = next === null ? null : toldBy(key, next, sent);
    const teller = before.told[key];
    if (own !== null) {
      told[key] = "root";
      changes[key] = own;
      continue;
    }
    // The former root goes back among the others: which of them tells then, only the document knows.
    if (next !== null && teller === "root") return null;
    if (teller === "root") continue;
    const other = ordered.find((span) => toldBy(key, span, sent) !== null);
    if (other === undefined || (teller !== null && other.started_at > teller)) continue;
    if (teller === other.started_at) return null;
    told[key] = other.started_at;
    changes[key] = toldBy(key, other, sent);
  }

  const heard = inputAfter(before.input.teller, next, ordered);
  // What it is where it does not follow, or stays behind what follows, the row does not say.
  if (heard === "unknown" || (heard.span !== null && !(applies && before.input.follows))) return null;

  const was = fieldsOf(row);
  const follows = new Set(before.follows);
  const fields: Record<string, unknown> = { ...was };
  for (const key of followingKeys) {
    const value = changes[key];
    if (value === undefined) continue;
    if (applies && follows.has(key)) fields[key] = value;
    else if (value === was[key]) follows.add(key);
    else follows.delete(key);
  }
  return {
    derivation: {
      root: next === null ? root : { at: next.started_at, calledFrom: next.parent_span_id },
      told,
      input: { teller: heard.teller, follows: before.input.follows },
      follows,
      isPure: before.isPure && applies,
      resources,
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each key has got a value of its own kind.
    fields: fields as unknown as RowFields,
    ...(heard.span === null ? {} : { input: heard.span.input }),
    marksAgainst: asked,
    metadataBytes: bytes,
  };
};
