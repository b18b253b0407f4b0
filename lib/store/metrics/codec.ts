import * as v from "valibot";
import {
  evidenceKinds,
  customMetricKinds,
  type CustomMetricDefinition,
  type CustomMetric,
  type CustomMetricVersion,
  type CustomMetricInput,
} from "../../domain/metrics/custom/definition.ts";
import type { Instant } from "../../domain/instant.ts";
import type { JsonObject } from "../../domain/json.ts";
import { statementAnswers } from "../../domain/metrics/rubric.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import type { Item } from "../../dynamo/items.ts";

const instant = v.custom<Instant>((value) => typeof value === "string");
const object = v.custom<JsonObject>((value) => typeof value === "object" && value !== null);
const statementVerdict = v.picklist(["yes", "no"]);

const common = { targetType: v.picklist(targetTypes), description: v.string(), threshold: v.number() };

const rubric = v.object({
  levels: v.array(v.object({ name: v.string(), meaning: v.string(), value: v.number() })),
  isNominal: v.exactOptional(v.literal(true)),
  statements: v.array(v.object({ name: v.string(), text: v.string(), yes: v.string(), no: v.string() })),
  rule: v.array(
    v.object({
      level: v.string(),
      answers: v.record(v.string(), statementVerdict),
      least: v.exactOptional(v.number()),
    }),
  ),
  otherwise: v.string(),
});

const definition: v.GenericSchema<unknown, CustomMetricDefinition> = v.variant("kind", [
  v.object({
    ...common,
    kind: v.literal("judge"),
    instructions: v.string(),
    rubric,
    evidence: v.array(v.picklist(evidenceKinds)),
    model: v.nullable(v.string()),
    examples: v.array(
      v.object({
        record: v.string(),
        answers: v.record(v.string(), v.picklist(statementAnswers)),
        reason: v.string(),
      }),
    ),
  }),
  v.object({ ...common, kind: v.literal("check"), check: object }),
  v.object({ ...common, kind: v.literal("fold"), fold: object }),
]);

/** Schema of a metric's body as the client sent it. Fields that a later version of the service added are preserved. */
const sentBody = v.custom<CustomMetricInput>((value) => typeof value === "object" && value !== null);

const version = v.object({ name: v.string(), version: v.number(), definition, sent: sentBody, createdAt: instant });

const head = v.object({
  id: v.string(),
  projectId: v.string(),
  name: v.string(),
  targetType: v.picklist(targetTypes),
  kind: v.picklist(customMetricKinds),
  description: v.string(),
  versions: v.array(instant),
  since: v.number(),
  deletedAt: v.nullable(instant),
});

const item = v.object({ d: v.pipe(v.string(), v.parseJson()) });

/** Packs a version of a custom metric as item attributes. */
export const packMetricVersion = (version: CustomMetricVersion): { readonly d: string } => ({
  d: JSON.stringify(version),
});

/** Parses the item of a version of a custom metric. @throws ValiError when it is not a version. */
export const unpackMetricVersion = (storedItem: unknown): CustomMetricVersion =>
  v.parse(version, v.parse(item, storedItem).d);

/** A custom metric as stored. */
export interface StoredMetric {
  readonly metric: CustomMetric;
  /** Hash of the body that created the metric; null when the request had no idempotency key. */
  readonly bodyHash: string | null;
  /** Increases with each change. */
  readonly revision: number;
}

const headItem = v.object({ ...item.entries, rev: v.number(), bh: v.exactOptional(v.string()) });

/** Packs a custom metric as item attributes. */
export const packMetric = ({ metric, bodyHash, revision }: StoredMetric): Item => ({
  d: JSON.stringify(metric),
  rev: revision,
  ...(bodyHash !== null && { bh: bodyHash }),
});

/** Parses the item of a custom metric. @throws ValiError when it is not a metric. */
export const unpackMetric = (storedItem: unknown): StoredMetric => {
  const { d, rev, bh = null } = v.parse(headItem, storedItem);
  return { metric: v.parse(head, d), bodyHash: bh, revision: rev };
};
