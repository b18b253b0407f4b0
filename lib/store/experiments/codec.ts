import * as v from "valibot";
import type { Experiment, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import type { Item } from "../../dynamo/items.ts";

const headItem = v.object({
  pk: v.string(),
  sk: v.string(),
  n: v.string(),
  ds: v.optional(v.string()),
  at: v.string(),
  z: v.string(),
  g: v.string(),
  ttl: v.optional(v.number()),
});

/** An experiment as it is stored. */
export interface StoredExperiment extends Experiment {
  /** Random token of its last change. */
  readonly token: string;
  /** Epoch seconds after which its last trace is gone; undefined if it never expires. */
  readonly expiresAt: number | undefined;
}

export const packExperiment = ({
  name,
  dataset,
  startedAt,
  lastStartedAt,
  token,
  expiresAt,
}: StoredExperiment): Item => ({
  n: name,
  ...(dataset !== null && { ds: dataset }),
  at: startedAt,
  z: lastStartedAt,
  g: token,
  ...(expiresAt !== undefined && { ttl: expiresAt }),
});

/** Parses the item of an experiment. @throws ValiError when it is none. */
export const unpackExperiment = (value: unknown): StoredExperiment => {
  const { pk, sk, n, ds = null, at, z, g, ttl } = v.parse(headItem, value);
  return {
    id: sk,
    projectId: pk.slice(0, pk.indexOf("#")),
    name: n,
    dataset: ds,
    startedAt: at,
    lastStartedAt: z,
    token: g,
    expiresAt: ttl,
  };
};

const traceItem = v.object({
  sk: v.string(),
  n: v.optional(v.string()),
  p: v.optional(v.string()),
  e: v.boolean(),
  f: v.boolean(),
  l: v.optional(v.number()),
  c: v.number(),
  t: v.number(),
});

export const packExperimentTrace = (trace: ExperimentTrace): Item => ({
  ...(trace.itemName !== null && { n: trace.itemName }),
  ...(trace.input !== null && { p: trace.input }),
  e: trace.hasEnded,
  f: trace.hasFailed,
  ...(trace.latencyMilliseconds !== null && { l: trace.latencyMilliseconds }),
  c: trace.cost,
  t: trace.tokens,
});

/** Parses the item of a trace of an experiment. @throws ValiError when it is none. */
export const unpackExperimentTrace = (value: unknown): ExperimentTrace => {
  const { sk, n = null, p = null, e, f, l = null, c, t } = v.parse(traceItem, value);
  const [item = "", traceId = "", startedAt = "", incarnation = ""] = sk.split("#");
  return {
    traceId,
    incarnation,
    itemId: item === "" ? null : item,
    itemName: n,
    input: p,
    startedAt,
    hasEnded: e,
    hasFailed: f,
    latencyMilliseconds: l,
    cost: c,
    tokens: t,
  };
};
