import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import type { LivingProjects } from "../../../lib/store/access/living-projects.ts";
import { sessionScoreKey } from "../../../lib/store/scores/keys.ts";
import { scoreWindow } from "../../../lib/stream/score-window.ts";
import { allLiving } from "../../support/database/all-living.ts";

const [kept, doomed] = [randomUUID(), randomUUID()];

const inserted = (project: string, sequence: number, session: string, status = "SUCCESS"): DynamoDBRecord => {
  const { pk, sk } = sessionScoreKey(project, randomUUID());
  return {
    dynamodb: {
      Keys: { pk: { S: pk }, sk: { S: sk } },
      NewImage: {
        n: { S: "solved" },
        st: { S: status },
        order_key: { S: "2026-10-01T00:00:00+00:00#1" },
        x: { S: "1" },
        t: { S: session },
      },
      SequenceNumber: String(sequence),
    },
  };
};

/** A window over sums that only note what they are told. */
const noted = (living: LivingProjects) => {
  const [folded, refreshed, newest]: [string[], string[], string[]] = [[], [], []];
  const window = scoreWindow(
    { fold: async (shard, changes) => void folded.push(...changes.map(({ project }) => `${shard} ${project}`)) },
    { refresh: async (project, name, session) => void refreshed.push(`${project} ${name} ${session}`) },
    {
      refresh: async (places) => void newest.push(...places.map(({ project, id, name }) => `${project} ${id} ${name}`)),
    },
    { fold: async () => undefined },
    living,
  );
  return { folded, refreshed, newest, window };
};

test("every score is folded, and a session's newest score of a name is looked for once", async () => {
  const { folded, refreshed, window } = noted(allLiving);

  const reply = await window({ shardId: "s", Records: [inserted(kept, 1, "chat"), inserted(kept, 2, "chat")] });

  expect(reply).toEqual({ state: {} });
  expect(folded).toEqual([`s ${kept}`, `s ${kept}`]);
  expect(refreshed).toEqual([`${kept} solved chat`]);
});

test("of a project that is being deleted nothing is written", async () => {
  const { folded, refreshed, window } = noted(async (projects) => new Set(projects).intersection(new Set([kept])));

  await window({ shardId: "s", Records: [inserted(doomed, 1, "chat"), inserted(kept, 2, "talk")] });

  expect(folded).toEqual([`s ${kept}`]);
  expect(refreshed).toEqual([`${kept} solved talk`]);
});

test("a score that failed is folded, and no session is asked for its newest success", async () => {
  const { folded, refreshed, window } = noted(allLiving);
  const edited = inserted(kept, 2, "mended");
  const before = inserted(kept, 2, "mended", "FAILED").dynamodb?.NewImage;

  await window({
    shardId: "s",
    Records: [
      inserted(kept, 1, "chat", "FAILED"),
      { dynamodb: { ...edited.dynamodb, ...(before && { OldImage: before }) } },
      { dynamodb: { ...inserted(kept, 3, "failing", "FAILED").dynamodb, OldImage: edited.dynamodb?.NewImage ?? {} } },
    ],
  });

  expect(folded).toHaveLength(3);
  expect(refreshed).toEqual([`${kept} solved mended`, `${kept} solved failing`]);
});

test("sessions are looked at twenty at a time, and one that fails keeps none of the others from it", async () => {
  let [underWay, most] = [0, 0];
  const refreshed = new Set<string>();
  const refresh = async (_project: string, _name: string, session: string): Promise<void> => {
    underWay += 1;
    most = Math.max(most, underWay);
    await setImmediate();
    underWay -= 1;
    if (session === "3") throw new Error("broken");
    refreshed.add(session);
  };
  const window = scoreWindow(
    { fold: async () => undefined },
    { refresh },
    { refresh: async () => undefined },
    { fold: async () => undefined },
    allLiving,
  );

  const following = window({
    shardId: "s",
    Records: Array.from({ length: 50 }, (_, number) => inserted(kept, number + 1, String(number))),
  });

  await expect(following).rejects.toThrow("broken");
  expect([most, refreshed.size]).toEqual([20, 49]);
});

test("an event that names no shard is refused: its mapping has no window", async () => {
  await expect(noted(allLiving).window({ Records: [] })).rejects.toThrow("no shard");
});
