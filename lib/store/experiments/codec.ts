import * as v from "valibot";
import type { Experiment, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import type { Item } from "../../dynamo/items.ts";

const headItem = v.object({
  pk: v.string(),
  sk: v.string(),
  n: v.string(),
  ds: v.optional(v.string()),
  at: v.string(),
});

export const packExperiment = ({ name, dataset, startedAt }: Experiment): Item => ({
  n: name,
  ...(dataset !== null && { ds: dataset }),
  at: startedAt,
});

/** Parses the item of an experiment. @throws ValiError when it is none. */
export const unpackExperiment = (value: unknown): Experiment => {
  const { pk, sk, n, ds = null, at } = v.parse(headItem, value);
  return { id: sk, projectId: pk.slice(0, pk.indexOf("#")), name: n, dataset: ds, startedAt: at };
};

const traceItem = v.object({
  sk: v.string(),
  i: v.string(),
  at: v.string(),
  e: v.boolean(),
  f: v.boolean(),
  l: v.optional(v.number()),
  c: v.number(),
  t: v.number(),
});

export const packExperimentTrace = (trace: ExperimentTrace): Item => ({
  i: trace.incarnation,
  at: trace.startedAt,
  e: trace.hasEnded,
  f: trace.hasFailed,
  ...(trace.latencyMilliseconds !== null && { l: trace.latencyMilliseconds }),
  c: trace.cost,
  t: trace.tokens,
});

/** Parses the item of a trace of an experiment. @throws ValiError when it is none. */
export const unpackExperimentTrace = (value: unknown): ExperimentTrace => {
  const { sk, i, at, e, f, l = null, c, t } = v.parse(traceItem, value);
  const [item = "", traceId = ""] = sk.split("#");
  return {
    traceId,
    incarnation: i,
    itemId: item === "" ? null : item,
    startedAt: at,
    hasEnded: e,
    hasFailed: f,
    latencyMilliseconds: l,
    cost: c,
    tokens: t,
  };
};
