import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { runKey } from "../../../lib/store/runs/keys.ts";
import { runWindow } from "../../../lib/stream/run-window.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";

const project = randomUUID();

/** Stream record of a run's change between two states: its status, and its partition in the index of open runs. */
const changed = (
  run: string,
  [oldStatus, oldKey]: readonly [string, string?],
  [newStatus, newKey]: readonly [string, string?],
): DynamoDBRecord => {
  const { pk, sk } = runKey(project, run);
  const image = (status: string, key?: string) => ({
    status: { S: status },
    ...(key !== undefined && { open_key: { S: key } }),
  });
  return {
    eventName: "MODIFY",
    dynamodb: {
      Keys: { pk: { S: pk }, sk: { S: sk } },
      OldImage: image(oldStatus, oldKey),
      NewImage: image(newStatus, newKey),
      SequenceNumber: "1",
    },
  };
};

test("a run starts when it is committed, and leaves its rotations when it ends or is deleted, which also purges it", async () => {
  const [started, ended, purged]: [string[], string[], string[]] = [[], [], []];
  const follower = {
    start: async (_: string, run: string) => void started.push(run),
    end: async (_: string, run: string) => void ended.push(run),
    note: async () => undefined,
    purge: async (runs: readonly { readonly run: string }[]) => void purged.push(...runs.map(({ run }) => run)),
  };
  const window = runWindow(follower, { fold: async () => undefined }, withoutDeletions);

  await window({
    shardId: "shard",
    Records: [
      changed("new", ["CREATING", "open"], ["PENDING", "open"]),
      changed("begun", ["PENDING", "open"], ["RUNNING", "open"]),
      changed("ended", ["RUNNING", "open"], ["COMPLETED"]),
      changed("deleted", ["RUNNING", "open"], ["DELETED", "deleted"]),
      changed("buried", ["DELETED", "deleted"], ["DELETED"]),
    ],
  });

  expect({ started, ended, purged }).toEqual({ started: ["new"], ended: ["ended", "deleted"], purged: ["deleted"] });
});
