import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as v from "valibot";
import {
  scoreDataTypes,
  scoreSources,
  scoreStatuses,
  type Score,
  type SessionScore,
  type TraceScore,
} from "../../domain/scores/score.ts";
import type { JsonObject } from "../../domain/json.ts";
import { parseLossless } from "../../domain/lossless-json.ts";
import { valueAttribute } from "./counted-value.ts";
import { packedGrounds, packGrounds, unpackGrounds } from "./grounds-codec.ts";
import { unpackSignals } from "./signals/signals-codec.ts";
import {
  copyPartition,
  listPartition,
  runScoresPartition,
  scoreKey,
  scoreOrder,
  sessionScoreKey,
  type ScoreTarget,
} from "./keys.ts";

const orNull = v.nullable(v.string());

const packed = v.looseTuple([
  v.string(),
  v.string(),
  v.string(),
  v.string(),
  orNull,
  v.picklist(scoreDataTypes),
  v.picklist(scoreStatuses),
  v.picklist(scoreSources),
  orNull,
  v.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  orNull,
  orNull,
  orNull,
  orNull,
  v.string(),
  v.string(),
  v.optional(packedGrounds),
]);

/**
 * A score as JSON, its fields by position (new ones go into the object at the end), and deflated: a judge's score of 1,042
 * bytes is 629 then, for 20 us; it is stored four times, and every KB is paid for.
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
  const text = inflateRawSync(v.parse(v.instance(Uint8Array), value)).toString("utf8");
  const fields = v.parse(packed, parseLossless(text));
  return {
    target: fields[1],
    environment: fields[12],
    config_id: fields[13],
    version: fields[16]?.v ?? null,
    span_id: fields[16]?.s ?? null,
    startedAt: fields[16]?.w ?? null,
    signals: fields[16]?.g === undefined ? null : unpackSignals(fields[16].g, fields[10]),
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

/** Reads a packed score of a trace. @throws when it is not one. */
export const unpackScore = (value: unknown): TraceScore => {
  const { score, target, environment, config_id, span_id, version, startedAt: trace_started_at } = unpack(value);
  const trace_version = typeof version === "number" ? version : null;
  return { ...score, trace_id: target, environment, config_id, span_id, trace_version, trace_started_at };
};

/** Reads a packed score of a session. @throws when it is not one. */
export const unpackSessionScore = (value: unknown): SessionScore => {
  const { score, target, version, signals } = unpack(value);
  return { ...score, session_id: target, session_version: typeof version === "string" ? version : null, signals };
};

/** How long a score is there. */
export interface ScoreLifetime {
  /** Of the trace that was scored: the score goes with it. Null for a session's score. */
  readonly incarnation: string | null;
  /** Epoch seconds; a trace's scores expire with it. */
  readonly expiresAt: number | null;
  /** Hash of the body that made it, where that request can come again. */
  readonly bodyHash?: string | null;
}

interface Packed {
  readonly target: ScoreTarget;
  readonly targetId: string;
  readonly d: Buffer;
  readonly environment: string | null;
  readonly incarnation: string | null;
  readonly expiresAt: number | null;
  readonly bodyHash: string | null;
}

/** The score itself and its copy, with what lists filter by beside the packed score. */
const itemsOf = (score: Score, { target, targetId, d, environment, incarnation, expiresAt, bodyHash }: Packed) => {
  const { project_id: project, eval_run_id: run } = score;
  const order = scoreOrder(score.created_at, score.id);
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
      x: valueAttribute(score),
      t: target === "session" ? targetId : undefined,
      bh: bodyHash ?? undefined,
      order_key: order,
      time_key: listPartition(target, project, score.id),
      run_key: run === null ? undefined : runScoresPartition(project, run),
    },
    { pk: copyPartition(target, project, targetId), sk: order, ...shared, r: run ?? undefined },
  ] as const;
};

/**
 * The items of a trace's score: the score itself, listed by time and by run, and the copy that serves reads by
 * trace. They are written and removed together.
 */
export const scoreItems = (score: TraceScore, { incarnation, expiresAt, bodyHash = null }: ScoreLifetime) => {
  const { trace_id: targetId, environment, config_id: config, span_id: span, trace_version: version } = score;
  const d = pack(score, targetId, { environment, config, span, version, startedAt: score.trace_started_at });
  return itemsOf(score, { target: "trace", targetId, d, environment, incarnation, expiresAt, bodyHash });
};

/**
 * The items of a session's score.
 *
 * @param expiresAt epoch seconds: when the trace of the session that is kept longest expires; null when one is kept.
 */
export const sessionScoreItems = (score: SessionScore, expiresAt: number | null, bodyHash: string | null = null) => {
  const { session_id: targetId, session_version: version, signals } = score;
  const d = pack(score, targetId, { environment: null, config: null, version, signals });
  return itemsOf(score, { target: "session", targetId, d, environment: null, incarnation: null, expiresAt, bodyHash });
};
