import { expect, test } from "vitest";
import { followEnvironments } from "../../../lib/stream/environment-changes.ts";
import { followExperiments } from "../../../lib/stream/experiment-changes.ts";
import { foldTraceAlerts } from "../../../lib/stream/alert-changes.ts";

/** A record of an item of the rows table that is no row of a day: its partition key has no day. */
const record = {
  dynamodb: {
    Keys: { pk: { B: Buffer.alloc(13).toString("base64") }, sk: { B: Buffer.alloc(4).toString("base64") } },
    NewImage: { n: { N: "1" } },
    SequenceNumber: "1",
  },
};

test("records of other items of the table pass by all that follow traces, so that they hold up no stream", async () => {
  const notes: unknown[] = [];
  const living = async () => new Set<string>();
  const note = async (...parts: readonly unknown[]) => void notes.push(parts);

  await followExperiments(note, living)([record]);
  await followEnvironments(note, living)([record]);
  await foldTraceAlerts({ rulesOf: async () => [], living, sums: { fold: async (_, changes) => note(...changes) } })(
    "shard",
    [record],
  );

  expect(notes).toEqual([[]]);
});
