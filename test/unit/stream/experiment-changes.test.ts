import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { noProvenance } from "../../../lib/domain/traces/provenance.ts";
import type { ExperimentChange } from "../../../lib/store/experiments/experiments.ts";
import { rowKey } from "../../../lib/store/traces/keys.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { followExperiments } from "../../../lib/stream/experiment-changes.ts";
import { seeded } from "../../support/random.ts";
import { generateRow } from "../../support/traces/generate-row.ts";

const base64 = (bytes: Uint8Array) => ({ B: Buffer.from(bytes).toString("base64") });

const project = randomUUID();
const generated = generateRow(seeded(1), Date.parse("2026-11-01T00:00:00Z"));
const row = {
  ...generated,
  facts: generated.facts && { ...generated.facts, provenance: { ...noProvenance, experiment: "nightly" } },
};

/** Returns what follows from the removal of the row, which expires at 1,000. @param removedAt epoch seconds. */
const changesOfRemoval = async (removedAt: number): Promise<readonly ExperimentChange[]> => {
  const { pk, sk } = rowKey(project, row.traceId, row);
  const OldImage = { d: base64(packRow(row)), i: { S: row.incarnation }, ttl: { N: "1000" } };
  const record: DynamoDBRecord = {
    dynamodb: { Keys: { pk: base64(pk), sk: base64(sk) }, OldImage, ApproximateCreationDateTime: removedAt },
  };
  const all: ExperimentChange[] = [];
  await followExperiments(
    async (changes) => void all.push(...changes),
    async (projects) => new Set(projects),
  )([record]);
  return all;
};

test("a deleted row leaves its experiment, and an expired one is left to the expiry of the trace itself", async () => {
  expect(await changesOfRemoval(999)).toMatchObject([
    {
      isRemoved: true,
      expiresAt: 1_000,
      experiment: { name: "nightly" },
      trace: { traceId: row.traceId, incarnation: row.incarnation },
    },
  ]);
  expect(await changesOfRemoval(1_001)).toEqual([]);
});
