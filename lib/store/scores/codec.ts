import { deflateRawSync } from "node:zlib";
import * as v from "valibot";
import { type JsonObject, parseLossless } from "../../domain/json.ts";
import { scoreNumber } from "../../domain/scores/number.ts";
import { rankedVersion } from "../../domain/scores/precedence.ts";
import { passes } from "../../domain/scores/unit.ts";
import type { ScoreFact } from "../../domain/scores/statistics.ts";
import {
  isRuleBased,
  judgeOfId,
  type Score,
  scoreDataTypes,
  scoreSources,
  scoreStatuses,
  type SessionScore,
  type TraceScore,
} from "../../domain/scores/score.ts";
import { packedGrounds, packGrounds, unpackGrounds } from "./grounds-codec.ts";
import {
  copyPartition,
  failedScoresPartition,
  listPartition,
  runScoresPartition,
  scoreKey,
  scoreOrder,
  sessionScoreKey,
  type ScoreTarget,
} from "./keys.ts";
import { partitionIn } from "../traces/keys.ts";
import { scoreTexts } from "./packed-text.ts";
import { unpackSignals } from "./signals/signals-codec.ts";

/**
 * Prefix of the value attribute of a score that is not applicable, which statistics must not count: without unpacking
 * the score, nothing else shows it. No valid value starts with a space, and the number parses as before.
 */
const uncountedPrefix = " ";

/** Suffix of the value attribute of a score by fixed rules. No valid value ends with a space. */
const ruleSuffix = " ";

/** Attributes of a score that statistics read. */
export interface CountedAttributes {
  /** Number of the score as text, see `uncountedPrefix`; absent for a category that applies, and without a value. */
  readonly x?: string | undefined;
  /** Value of a CATEGORICAL score that applies. */
  readonly cat?: string | undefined;
}

/** Returns the attributes of a score that statistics read. */
export const countedAttributes = (
  score: Pick<Score, "data_type" | "value" | "applicable"> & Parameters<typeof isRuleBased>[0],
): CountedAttributes => {
  const { data_type: type, value, applicable } = score;
  if (value === null) return {};
  const text =
    type === "CATEGORICAL" ? "-" : type === "BOOLEAN" ? String(scoreNumber({ ...score, applicable: true })) : value;
  const suffix = isRuleBased(score) ? ruleSuffix : "";
  if (applicable === false) return { x: `${uncountedPrefix}${text}${suffix}` };
  return type === "CATEGORICAL" ? { cat: value } : { x: `${text}${suffix}` };
};

/** Returns what statistics count of a score with these attributes. */
export const countedFact = ({
  x,
  cat,
}: CountedAttributes): Pick<ScoreFact, "value" | "category" | "inapplicable" | "ruleBased"> => {
  const value = x === undefined ? Number.NaN : Number(x);
  return {
    value: Number.isFinite(value) ? value : null,
    category: cat,
    inapplicable: x?.startsWith(uncountedPrefix) === true,
    ruleBased: x?.endsWith(ruleSuffix) === true,
  };
};

/** What figures count of a score beside its value. */
export interface CountedVerdict {
  /** True if the score reaches the threshold of its metric; null if it has none. */
  readonly passed: boolean | null;
  readonly applicable: boolean;
}

const passedCodes = [null, false, true] as const;

/** Verdict attribute: 0, 1 or 2 for no threshold, a failure or a pass; 3 more if the score is not applicable. */
const verdictAttribute = (score: Score): string =>
  String(passedCodes.indexOf(passes(score)) + (score.applicable === false ? passedCodes.length : 0));

/** Verdict in a verdict attribute; null without one, as scores of earlier builds are. */
export const countedVerdict = (attribute: string | undefined): CountedVerdict | null => {
  const code = attribute === undefined ? Number.NaN : Number(attribute);
  const passed = passedCodes[code % passedCodes.length];
  return passed === undefined ? null : { passed, applicable: code < passedCodes.length };
};

/** Attribute of the version by which a trace's score is compared with others of its name, see `rankedVersion`. */
const rankAttribute = (version: number | null): string => String(version ?? "-");

/** Version in an attribute of `rankAttribute`; null if it is unknown. */
export const versionOfRank = (attribute: string | undefined): number | null => {
  const version = Number(attribute ?? "-");
  return Number.isNaN(version) ? null : version;
};

const orNull = v.nullable(v.string());

const metadataObject = v.custom<JsonObject>((value) => typeof value === "object" && value !== null);

const packedFields = v.looseTuple([
  v.string(),
  v.string(),
  v.string(),
  v.string(),
  orNull,
  v.picklist(scoreDataTypes),
  v.picklist(scoreStatuses),
  v.picklist(scoreSources),
  orNull,
  metadataObject,
  orNull,
  orNull,
  orNull,
  orNull,
  v.string(),
  v.string(),
  packedGrounds,
]);

/**
 * Packs a score as a deflated JSON array; new fields go into the object at its end. A judge's score of 1,042 bytes
 * becomes 629 bytes in 20 us. A score is stored four times, so each KB counts.
 */
const pack = (
  score: Score,
  target: string,
  {
    environment,
    config,
    ...grounds
  }: Parameters<typeof packGrounds>[1] & {
    readonly environment: string | null;
    readonly config: string | null;
  },
): Buffer => {
  const fields = [
    score.id,
    target,
    score.project_id,
    score.name,
    score.value,
    score.data_type,
    score.status,
    score.source,
    score.reason,
    score.metadata,
    score.eval_run_id,
    score.author_user_id,
    environment,
    config,
    score.created_at,
    score.updated_at,
    packGrounds(score, grounds),
  ];
  return deflateRawSync(JSON.stringify(fields));
};

const unpack = (value: unknown) => {
  const fields = v.parse(packedFields, parseLossless(scoreTexts.unpack(v.parse(v.instance(Uint8Array), value))));
  return {
    target: fields[1],
    environment: fields[12],
    config_id: fields[13],
    version: fields[16].v ?? null,
    content_version: fields[16].cv ?? null,
    span_id: fields[16].s ?? null,
    startedAt: fields[16].w ?? null,
    partition: fields[16].p,
    signals: fields[16].g === undefined ? null : unpackSignals(fields[16].g, fields[10]),
    score: {
      id: fields[0],
      project_id: fields[2],
      name: fields[3],
      value: fields[4],
      data_type: fields[5],
      status: fields[6],
      source: fields[7],
      reason: fields[8],
      metadata: fields[9],
      eval_run_id: fields[10],
      author_user_id: fields[11],
      ...unpackGrounds(fields[16], fields[9]),
      created_at: fields[14],
      updated_at: fields[15],
    },
  };
};

const verdictGrounds = v.looseObject({
  j: v.optional(v.string()),
  a: v.optional(v.union([v.boolean(), v.string()])),
  v: v.optional(v.union([v.number(), v.string()])),
  cv: v.optional(v.number()),
});

/**
 * Unpacks the fields of a score that figures need, without validating the others: a third of the time of unpacking all.
 *
 * @throws Error when the bytes are not a packed score.
 */
export const unpackVerdict = (packed: Uint8Array) => {
  const fields: readonly unknown[] = v.parse(v.array(v.unknown()), JSON.parse(scoreTexts.unpack(packed)));
  const { j: judge, a: applies, v: version, cv } = v.parse(verdictGrounds, fields[16]);
  return {
    value: v.parse(orNull, fields[4]),
    data_type: v.parse(v.picklist(scoreDataTypes), fields[5]),
    metadata: v.parse(metadataObject, fields[9]),
    judge: judge === undefined ? null : judgeOfId(judge),
    applicable: applies === undefined ? null : applies === true,
    source: v.parse(v.picklist(scoreSources), fields[7]),
    trace_version: typeof version === "number" ? version : null,
    content_version: cv ?? null,
  };
};

/** Unpacks a score of a trace. @throws Error when the bytes are not a packed score. */
export const unpackScore = (value: unknown): TraceScore => {
  const { score, target, environment, config_id, span_id, version, ...packed } = unpack(value);
  const { content_version, startedAt: trace_started_at, partition: trace_partition } = packed;
  const trace_version = typeof version === "number" ? version : null;
  const versions = { trace_version, content_version };
  return {
    ...score,
    trace_id: target,
    environment,
    config_id,
    span_id,
    ...versions,
    trace_started_at,
    trace_partition,
  };
};

/** Unpacks a score of a session. @throws Error when the bytes are not a packed score. */
export const unpackSessionScore = (value: unknown): SessionScore => {
  const { score, target, version, signals } = unpack(value);
  return { ...score, session_id: target, session_version: typeof version === "string" ? version : null, signals };
};

/** Conditions of a stored score's existence. */
export interface ScoreLifetime {
  /** Incarnation of the scored trace: the score is deleted with it. Null for a session's score. */
  readonly incarnation: string | null;
  /** Expiry (TTL), epoch seconds; a trace's scores expire with the trace. Null for no expiry. */
  readonly expiresAt: number | null;
  /** Hash of the body that created the score; absent or null when the request had no idempotency key. */
  readonly bodyHash?: string | null;
}

interface PackedScore {
  readonly target: ScoreTarget;
  readonly targetId: string;
  readonly d: Buffer;
  readonly environment: string | null;
  readonly incarnation: string | null;
  readonly expiresAt: number | null;
  readonly bodyHash: string | null;
  readonly rank?: string;
}

/** Items of a score and its copy: the packed score and the attributes that lists filter by. */
const itemsOf = (
  score: Score,
  { target, targetId, d, environment, incarnation, expiresAt, bodyHash, rank }: PackedScore,
) => {
  const { project_id: project, eval_run_id: run } = score;
  const order = scoreOrder(score.created_at, score.id);
  const hasFailed = score.status === "FAILED";
  const shared = {
    d,
    n: score.name,
    st: score.status,
    so: score.source,
    dt: score.data_type,
    e: environment ?? undefined,
    j: score.judge?.version,
    i: incarnation ?? undefined,
    ttl: expiresAt ?? undefined,
  };
  const key = target === "trace" ? scoreKey(project, score.id) : sessionScoreKey(project, score.id);
  return [
    {
      ...key,
      ...shared,
      ...countedAttributes(score),
      p: verdictAttribute(score),
      rv: rank,
      t: target === "session" ? targetId : undefined,
      bh: bodyHash ?? undefined,
      order_key: order,
      time_key: listPartition(target, project, score.id),
      run_key: run === null ? undefined : runScoresPartition(project, run),
    },
    {
      pk: copyPartition(target, project, targetId),
      sk: order,
      ...shared,
      r: run ?? undefined,
      order_key: hasFailed ? order : undefined,
      time_key: hasFailed ? failedScoresPartition(target, project, score.id) : undefined,
    },
  ] as const;
};

/**
 * Items of a trace's score: the score, listed by time and by run, and its copy for reads by trace. Both are written
 * and deleted together.
 */
export const scoreItems = (score: TraceScore, { incarnation, expiresAt, bodyHash = null }: ScoreLifetime) => {
  const { trace_id: targetId, environment, config_id: config, span_id: span, trace_version: version } = score;
  const location = { startedAt: score.trace_started_at, partition: partitionIn(incarnation ?? "") };
  const judgedTrace = { version, contentVersion: score.content_version, ...location };
  const d = pack(score, targetId, { environment, config, span, ...judgedTrace });
  const rank = rankAttribute(rankedVersion(score));
  return itemsOf(score, { target: "trace", targetId, d, environment, incarnation, expiresAt, bodyHash, rank });
};

/**
 * Items of a session's score.
 *
 * @param expiresAt expiry (epoch seconds) of the session's trace that expires last; null when a trace never expires.
 */
export const sessionScoreItems = (score: SessionScore, expiresAt: number | null, bodyHash: string | null = null) => {
  const { session_id: targetId, session_version: version, signals } = score;
  const d = pack(score, targetId, { environment: null, config: null, version, signals });
  return itemsOf(score, { target: "session", targetId, d, environment: null, incarnation: null, expiresAt, bodyHash });
};
