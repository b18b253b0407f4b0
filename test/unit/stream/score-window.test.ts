import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import type { ExistingProjects } from "../../../lib/store/access/existing-projects.ts";
import { sessionScoreKey } from "../../../lib/store/scores/keys.ts";
import { scoreWindow } from "../../../lib/stream/score-window.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";

const [livingProject, deletedProject] = [randomUUID(), randomUUID()];

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

/** A window whose stores only record their calls. */
const recordingWindow = (living: ExistingProjects) => {
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

test("every score is added to the sums, and a session's newest score of a name is read once", async () => {
  const { folded, refreshed, window } = recordingWindow(withoutDeletions);

  const reply = await window({
    shardId: "s",
    Records: [inserted(livingProject, 1, "chat"), inserted(livingProject, 2, "chat")],
  });

  expect(reply).toEqual({ state: {} });
  expect(folded).toEqual([`s ${livingProject}`, `s ${livingProject}`]);
  expect(refreshed).toEqual([`${livingProject} solved chat`]);
});

test("for a project that is being deleted nothing is written", async () => {
  const { folded, refreshed, window } = recordingWindow(async (projects) =>
    new Set(projects).intersection(new Set([livingProject])),
  );

  await window({ shardId: "s", Records: [inserted(deletedProject, 1, "chat"), inserted(livingProject, 2, "talk")] });

  expect(folded).toEqual([`s ${livingProject}`]);
  expect(refreshed).toEqual([`${livingProject} solved talk`]);
});

test("a failed score is added to the sums, and no session is read for its newest success", async () => {
  const { folded, refreshed, window } = recordingWindow(withoutDeletions);
  const edited = inserted(livingProject, 2, "mended");
  const before = inserted(livingProject, 2, "mended", "FAILED").dynamodb?.NewImage;

  await window({
    shardId: "s",
    Records: [
      inserted(livingProject, 1, "chat", "FAILED"),
      { dynamodb: { ...edited.dynamodb, ...(before && { OldImage: before }) } },
      {
        dynamodb: {
          ...inserted(livingProject, 3, "failing", "FAILED").dynamodb,
          OldImage: edited.dynamodb?.NewImage ?? {},
        },
      },
    ],
  });

  expect(folded).toHaveLength(3);
  expect(refreshed).toEqual([`${livingProject} solved mended`, `${livingProject} solved failing`]);
});

test("sessions are read twenty at a time, and one that fails does not stop the others", async () => {
  let [underWay, maxRunning] = [0, 0];
  const refreshed = new Set<string>();
  const refresh = async (_project: string, _name: string, session: string): Promise<void> => {
    underWay += 1;
    maxRunning = Math.max(maxRunning, underWay);
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
    withoutDeletions,
  );

  const following = window({
    shardId: "s",
    Records: Array.from({ length: 50 }, (_, number) => inserted(livingProject, number + 1, String(number))),
  });

  await expect(following).rejects.toThrow("broken");
  expect([maxRunning, refreshed.size]).toEqual([20, 49]);
});

test("an event without a shard is refused: its mapping has no window", async () => {
  await expect(recordingWindow(withoutDeletions).window({ Records: [] })).rejects.toThrow("no shard id");
});
