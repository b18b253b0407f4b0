import * as v from "valibot";
import {
  evidenceKinds,
  customKinds,
  type CustomDefinition,
  type CustomMetric,
  type CustomVersion,
  type SentMetric,
} from "../../domain/metrics/custom/definition.ts";
import type { Instant } from "../../domain/instant.ts";
import type { JsonObject } from "../../domain/json.ts";
import { statementAnswers } from "../../domain/metrics/rubric.ts";
import { targetTypes } from "../../domain/runs/run.ts";

const instant = v.custom<Instant>((value) => typeof value === "string");
const object = v.custom<JsonObject>((value) => typeof value === "object" && value !== null);
const yesNo = v.picklist(["yes", "no"]);

const common = { targetType: v.picklist(targetTypes), description: v.string(), threshold: v.number() };

const rubric = v.object({
  levels: v.array(v.object({ name: v.string(), meaning: v.string(), value: v.number() })),
  statements: v.array(v.object({ name: v.string(), text: v.string(), yes: v.string(), no: v.string() })),
  rule: v.array(
    v.object({ level: v.string(), answers: v.record(v.string(), yesNo), least: v.exactOptional(v.number()) }),
  ),
  otherwise: v.string(),
});

const definition: v.GenericSchema<unknown, CustomDefinition> = v.variant("kind", [
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

/** What a later version of the service adds to it stays there. */
const sent = v.custom<SentMetric>((value) => typeof value === "object" && value !== null);

const version = v.object({ name: v.string(), version: v.number(), definition, sent, createdAt: instant });

const head = v.object({
  id: v.string(),
  projectId: v.string(),
  name: v.string(),
  targetType: v.picklist(targetTypes),
  kind: v.picklist(customKinds),
  description: v.string(),
  versions: v.array(instant),
  since: v.number(),
  deletedAt: v.nullable(instant),
});

const item = v.object({ d: v.pipe(v.string(), v.parseJson()) });

export const packVersion = (made: CustomVersion): { readonly d: string } => ({ d: JSON.stringify(made) });

export const unpackVersion = (stored: unknown): CustomVersion => v.parse(version, v.parse(item, stored).d);

/** A metric as it is stored. */
export interface StoredMetric {
  readonly metric: CustomMetric;
  /** Of the body that made it; null where there was no key. */
  readonly bodyHash: string | null;
  /** Rises with each change. */
  readonly revision: number;
}

const headItem = v.object({ ...item.entries, rev: v.number(), bh: v.exactOptional(v.string()) });

export const packMetric = ({ metric, bodyHash, revision }: StoredMetric) => ({
  d: JSON.stringify(metric),
  rev: revision,
  ...(bodyHash !== null && { bh: bodyHash }),
});

export const unpackMetric = (stored: unknown): StoredMetric => {
  const { d, rev, bh = null } = v.parse(headItem, stored);
  return { metric: v.parse(head, d), bodyHash: bh, revision: rev };
};
