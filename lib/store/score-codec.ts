import * as v from "valibot";
import { scoreDataTypes, scoreSources, scoreStatuses, type TraceScore } from "../domain/score.ts";
import { dayOf } from "../domain/instant.ts";
import type { JsonObject } from "../domain/json.ts";
import { parseLossless } from "../domain/lossless-json.ts";

const text = v.nullable(v.string());

const packed = v.looseTuple([
  v.string(),
  v.string(),
  v.string(),
  v.string(),
  text,
  v.picklist(scoreDataTypes),
  v.picklist(scoreStatuses),
  v.picklist(scoreSources),
  text,
  v.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  text,
  text,
  text,
  text,
  v.string(),
  v.string(),
]);

/** A score as one JSON text, its fields by position; new fields go to the end. */
const packScore = (score: TraceScore): string =>
  JSON.stringify([
    score.id,
    score.trace_id,
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
    score.environment,
    score.config_id,
    score.created_at,
    score.updated_at,
  ]);

/** Reads a packed score. @throws when it is not one. */
export const unpackScore = (value: unknown): TraceScore => {
  const fields = v.parse(packed, parseLossless(v.parse(v.string(), value)));
  return {
    id: fields[0],
    trace_id: fields[1],
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
    environment: fields[12],
    config_id: fields[13],
    created_at: fields[14],
    updated_at: fields[15],
  };
};

/** Partition of the scores of a run, in their index. */
export const runScoresPartition = (project: string, run: string): string => `${project}#run#${run}`;

export const scoreKey = (project: string, score: string) => ({ pk: `${project}#score#${score}`, sk: "score" });

/**
 * The items of a score: the score itself, listed by day and by run, and the copy that serves reads by trace.
 *
 * @param expiresAt epoch seconds; a trace's scores expire with it.
 */
export const scoreItems = (score: TraceScore, expiresAt: number | null): readonly Record<string, unknown>[] => {
  const d = packScore(score);
  const order = `${score.created_at}#${score.id}`;
  const ttl = expiresAt ?? undefined;
  return [
    {
      ...scoreKey(score.project_id, score.id),
      d,
      ttl,
      order_key: order,
      day_key: `${score.project_id}#day#${dayOf(score.created_at)}`,
      run_key: score.eval_run_id === null ? undefined : runScoresPartition(score.project_id, score.eval_run_id),
    },
    { pk: `${score.project_id}#trace#${score.trace_id}`, sk: order, d, ttl },
  ];
};
