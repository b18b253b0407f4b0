import * as v from "valibot";
import { type JsonObject, parseLossless } from "../../domain/json.ts";
import type { Micros } from "../../domain/runs/budget.ts";
import { cascadeFields } from "../../domain/runs/cascade.ts";
import {
  chargedOf,
  type JudgeUsage,
  runStatuses,
  targetTypes,
  type Run,
  type RunOrder,
} from "../../domain/runs/run.ts";
import { serviceTiers } from "../../domain/runs/tier.ts";
import { dictionaryTexts } from "../../dynamo/bytes/dictionary-text.ts";
import { storedForm } from "../../dynamo/stored-form.ts";
import { uuidBytes, uuidOf } from "../../dynamo/bytes/text.ts";
import type { LogContext, Origin } from "../../log-context.ts";

/** Schema of a packed usage: a tuple in the order of `packUsage`. */
export const packedUsage = v.tuple([
  v.number(),
  v.number(),
  v.number(),
  v.number(),
  v.nullable(v.number()),
  v.optional(v.number()),
  v.optional(v.number()),
  v.optional(v.number()),
  v.optional(v.array(v.nullable(v.number()))),
]);

type PackedUsage = v.InferOutput<typeof packedUsage>;

export const packUsage = (usage: JudgeUsage): readonly (number | null | readonly (number | null)[])[] => [
  usage.calls,
  usage.promptTokens,
  usage.completionTokens,
  usage.cachedTokens,
  usage.cost,
  // Each place needs those before it.
  ...(usage.metricCosts !== undefined
    ? [chargedOf(usage), usage.forfeit ?? 0, usage.escalated ?? 0, usage.metricCosts]
    : usage.escalated !== undefined
      ? [chargedOf(usage), usage.forfeit ?? 0, usage.escalated]
      : usage.forfeit !== undefined
        ? [chargedOf(usage), usage.forfeit]
        : usage.charged !== undefined
          ? [usage.charged]
          : []),
];

export const unpackUsage = ([
  calls,
  promptTokens,
  completionTokens,
  cachedTokens,
  cost,
  charged,
  forfeit,
  escalated,
  metricCosts,
]: PackedUsage): JudgeUsage => ({
  calls,
  promptTokens,
  completionTokens,
  cachedTokens,
  cost,
  ...(charged !== undefined && { charged }),
  ...(forfeit !== undefined && { forfeit }),
  ...(escalated !== undefined && { escalated }),
  ...(metricCosts !== undefined && { metricCosts }),
});

const text = v.nullable(v.string());

const weight = v.exactOptional(v.number());

const weights = v.object({
  confidence: weight,
  coherence: weight,
  loop_detection: weight,
  tool_correctness: weight,
});

const cascadeForm = storedForm(cascadeFields);

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
  judge: v.exactOptional(cascadeForm.schema),
  tier: v.picklist(serviceTiers),
  monitorId: text,
  retryOf: text,
  retriedMonitorId: v.exactOptional(v.string()),
  sequential: v.boolean(),
  signalWeights: v.nullable(weights),
  maxCostUsd: v.nullable(v.number()),
  total: v.number(),
  createdAt: v.string(),
  emptyMessage: text,
});

/** Status of a run that is being created and not visible yet. */
export const creatingStatus = "CREATING";

/** Status of a deleted run, which is not visible any more. Its data is removed in the background. */
export const deletedStatus = "DELETED";

const item = v.object({
  pk: v.string(),
  d: v.union([v.string(), v.instance(Uint8Array)]),
  status: v.picklist([creatingStatus, deletedStatus, ...runStatuses]),
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
  origin: v.optional(v.instance(Uint8Array)),
  counted: v.optional(v.number()),
});

/** A run as stored. */
export interface StoredRun {
  readonly run: Run;
  /** True until the creation of the run is committed. */
  readonly isCreating: boolean;
  /**
   * Time of the deletion (epoch milliseconds), and true if the run's scores are deleted too; null when the run is not
   * deleted.
   */
  readonly deletion: { readonly at: number; readonly scores: boolean } | null;
  /** Id of the creation attempt whose slices belong to the run. */
  readonly attempt: string;
  readonly slices: number;
  readonly slicesLeft: number;
  readonly example: string | null;
  /** Hash of the body that created the run; null when the request had no idempotency key. */
  readonly bodyHash: string | null;
  /** Request that created the run; empty for a run of a build before 1.0.0. */
  readonly origin: Origin;
  /** Micro-dollars of its finished slices that are in the month's totals; null for a run of a build that counted none. */
  readonly counted: Micros | null;
}

const nilUuid = "00000000-0000-0000-0000-000000000000";

/**
 * Returns the attribute `origin` of a run; none where the organization is unknown. It has half the bytes of its text: 16 of the
 * organization, 16 of the key, and 26 of `traceparent` if there is one.
 */
export const originAttribute = ({ organization_id: organization, key_id, traceparent = "" }: Origin) =>
  organization === undefined
    ? {}
    : { origin: Buffer.concat([organization, key_id ?? nilUuid, traceparent].map(uuidBytes)) };

const unpackOrigin = (packed: Uint8Array): Origin => {
  const key = uuidOf(packed.subarray(16, 32));
  const hex = Buffer.from(packed.subarray(32)).toString("hex");
  return {
    organization_id: uuidOf(packed.subarray(0, 16)),
    ...(key !== nilUuid && { key_id: key }),
    ...(hex !== "" && { traceparent: [hex.slice(0, 2), hex.slice(2, 34), hex.slice(34, 50), hex.slice(50)].join("-") }),
  };
};

/** Returns the ids for log lines about a run. */
export const logContextOfRun = ({ run: { order }, origin }: Pick<StoredRun, "run" | "origin">): LogContext => ({
  project_id: order.projectId,
  run_id: order.id,
  ...(order.monitorId !== null && { monitor_id: order.monitorId }),
  ...origin,
});

/** Packed orders. The dictionary has an order's fields with their usual values. */
const orderTexts = dictionaryTexts(
  [
    '"has_error":true,"user_id":"","name":"","release":"","status":"","started_before":"","environment":["production"],',
    '"tags":[""],"started_after":"2026-11-,"metrics":["argument_correctness","coherence","confidence","loop_detection",',
    '"plan_adherence","plan_quality","step_efficiency","task_completion","tool_correctness"],"tier":"flex","model":"',
    '"resolvedModel":"offline/rules","resolvedModel":"systemone/","resolvedModel":"openai-decisions/gpt-6-luna",',
    '"model":"openai/gpt-6-luna","sequential":true,"samplingRate":0.1,"targetType":"SESSION","maxCostUsd":1,"retryOf":"',
    '"signalWeights":{"confidence":1,"coherence":1,"loop_detection":1,"tool_correctness":1},"emptyMessage":"',
    '{"id":"","projectId":"","name":null,"targetType":"TRACE","metrics":["task_completion"],"filters":{},',
    '"samplingRate":1,"model":null,"resolvedModel":"openai/gpt-6-luna","tier":"standard","monitorId":null,',
    '"retryOf":null,"sequential":false,"signalWeights":null,"maxCostUsd":null,"total":100,',
    '"createdAt":"2026-11-00:00.000000+00:00","emptyMessage":null}',
  ].join(""),
);

/** Unpacks the order of a run, which earlier builds stored as a text. @param pk the run's partition, which has its ids. */
const unpackOrder = (pk: string, stored: string | Uint8Array): RunOrder => {
  const [projectId, , id] = pk.split("#");
  const fields = parseLossless(typeof stored === "string" ? stored : orderTexts.unpack(stored));
  return v.parse(order, { id, projectId, ...v.parse(v.looseObject({}), fields) });
};

/**
 * Packs a run's order (its request with resolved defaults) as JSON: 430 bytes of the 800 in a list entry. Packed with the
 * dictionary a usual one has 20 to 100, and the entry less than 500, but functions of the version before the first that reads it
 * accept only JSON with all fields, during a deployment and after a rollback: the version after that may write it.
 */
export const packOrder = (value: RunOrder): string =>
  JSON.stringify(value.judge === undefined ? value : { ...value, judge: cascadeForm.write(value.judge) });

/** Parses the item of a run. @throws ValiError when it is not a run. */
export const unpackRun = (value: Record<string, unknown>): StoredRun => {
  const attributes = v.parse(item, value);
  return {
    run: {
      order: unpackOrder(attributes.pk, attributes.d),
      status:
        attributes.status === creatingStatus || attributes.status === deletedStatus ? "PENDING" : attributes.status,
      evaluated: attributes.evaluated,
      failed: attributes.failed,
      scored: attributes.scored,
      missing: attributes.missing,
      lost: attributes.lost,
      usage: unpackUsage(attributes.used),
      waitingFor: null,
      completedAt: attributes.completed_at ?? null,
      errorMessage: attributes.error_message ?? null,
    },
    isCreating: attributes.status === creatingStatus,
    deletion:
      attributes.status === deletedStatus
        ? { at: attributes.deleted_at ?? 0, scores: attributes.delete_scores ?? false }
        : null,
    attempt: attributes.attempt,
    slices: attributes.slices,
    slicesLeft: attributes.slices_left,
    example: attributes.example ?? null,
    bodyHash: attributes.bh ?? null,
    origin: attributes.origin === undefined ? {} : unpackOrigin(attributes.origin),
    counted: attributes.counted ?? null,
  };
};
