import * as v from "valibot";
import { runStatuses, targetTypes, type Run, type RunOrder } from "../../domain/runs/run.ts";
import { tiers } from "../../domain/runs/tier.ts";
import type { JsonObject } from "../../domain/json.ts";
import { parseLossless } from "../../domain/lossless-json.ts";
import { packedUsage, unpackUsage } from "./usage-codec.ts";

const text = v.nullable(v.string());

const weight = v.exactOptional(v.number());

const weights = v.object({
  confidence: weight,
  coherence: weight,
  loop_detection: weight,
  tool_correctness: weight,
});

const order = v.object({
  id: v.string(),
  projectId: v.string(),
  name: text,
  targetType: v.picklist(targetTypes),
  metrics: v.array(v.string()),
  filters: v.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  samplingRate: v.number(),
  model: text,
  resolvedModel: v.string(),
  // Earlier versions have no other.
  tier: v.optional(v.picklist(tiers), "standard"),
  monitorId: text,
  retryOf: text,
  sequential: v.boolean(),
  signalWeights: v.nullable(weights),
  maxCostUsd: v.nullable(v.number()),
  total: v.number(),
  createdAt: v.string(),
  emptyMessage: text,
});

/** A run that is being created: nobody sees it yet. */
export const creating = "CREATING";

/** A run that was deleted: nobody sees it any more. What is left of it is removed in the background. */
export const deleted = "DELETED";

const item = v.object({
  d: v.string(),
  status: v.picklist([creating, deleted, ...runStatuses]),
  attempt: v.string(),
  slices: v.number(),
  slices_left: v.number(),
  evaluated: v.number(),
  failed: v.number(),
  scored: v.number(),
  missing: v.number(),
  lost: v.number(),
  used: packedUsage,
  example: v.optional(v.string()),
  completed_at: v.optional(v.string()),
  error_message: v.nullish(v.string()),
  deleted_at: v.optional(v.number()),
  delete_scores: v.optional(v.boolean()),
  bh: v.optional(v.string()),
});

/** A run as storage sees it. */
export interface StoredRun {
  readonly run: Run;
  /** Not yet committed. */
  readonly creating: boolean;
  /** Epoch milliseconds of its deletion and whether its scores go, too; null when it was not deleted. */
  readonly deleted: { readonly at: number; readonly scores: boolean } | null;
  /** Names the attempt at creating it whose slices count. */
  readonly attempt: string;
  readonly slices: number;
  readonly slicesLeft: number;
  readonly example: string | null;
  /** Of the request that made it; null when that could not come again. */
  readonly bodyHash: string | null;
}

export const packOrder = (value: RunOrder): string => JSON.stringify(value);

/** Reads a RUN item. @throws when it is not one. */
export const unpackRun = (value: Record<string, unknown>): StoredRun => {
  const stored = v.parse(item, value);
  return {
    run: {
      order: v.parse(order, parseLossless(stored.d)),
      status: stored.status === creating || stored.status === deleted ? "PENDING" : stored.status,
      evaluated: stored.evaluated,
      failed: stored.failed,
      scored: stored.scored,
      missing: stored.missing,
      lost: stored.lost,
      usage: unpackUsage(stored.used),
      waitingFor: null,
      completedAt: stored.completed_at ?? null,
      errorMessage: stored.error_message ?? null,
    },
    creating: stored.status === creating,
    deleted: stored.status === deleted ? { at: stored.deleted_at ?? 0, scores: stored.delete_scores ?? false } : null,
    attempt: stored.attempt,
    slices: stored.slices,
    slicesLeft: stored.slices_left,
    example: stored.example ?? null,
    bodyHash: stored.bh ?? null,
  };
};
