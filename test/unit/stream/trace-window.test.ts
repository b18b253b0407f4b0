import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import type { HourKey } from "../../../lib/store/hours/keys.ts";
import type { SessionChange } from "../../../lib/store/sessions/changed-segments.ts";
import { sessionName } from "../../../lib/store/sessions/segment-keys.ts";
import type { CountChange, TraceCounts } from "../../../lib/store/traces/counts.ts";
import { rowKeyIn, yearKey } from "../../../lib/store/traces/keys.ts";
import { traceWindow } from "../../../lib/stream/trace-window.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";

type Image = Readonly<Record<string, { readonly B: string } | { readonly N: string }>>;

const row = (ttl?: string, session?: string): Image => ({
  d: { B: "AA==" },
  v: { N: "1" },
  ...(session === undefined ? {} : { s: { B: Buffer.from(session).toString("base64") } }),
  ...(ttl === undefined ? {} : { ttl: { N: String(Date.parse(ttl) / 1000) } }),
});
const fence: Image = { ttl: { N: "1" } };

let sequence = 0;

const recordAt = (
  { pk, sk }: { readonly pk: Uint8Array; readonly sk: Uint8Array },
  before: Image | null,
  after: Image | null,
): DynamoDBRecord => {
  sequence += 1;
  const base64 = (bytes: Uint8Array) => ({ B: Buffer.from(bytes).toString("base64") });
  return {
    dynamodb: {
      Keys: { pk: base64(pk), sk: base64(sk) },
      ...(before === null ? {} : { OldImage: { ...before } }),
      ...(after === null ? {} : { NewImage: { ...after } }),
      SequenceNumber: String(sequence),
    },
  };
};

const project = randomUUID();
const now = Date.UTC(2026, 9, 20);
const startedAt = (hour: number): string => `2026-10-01T${String(hour).padStart(2, "0")}:10:00+00:00`;
const recordOf = (hour: number, before: Image | null, after: Image | null, projectId = project): DynamoDBRecord =>
  recordAt(rowKeyIn(projectId, randomUUID(), startedAt(hour), 0), before, after);

/** A window whose stores only record their calls. */
const recordingWindow = () => {
  const [folded, moved, computed]: [CountChange[], SessionChange[], HourKey[]] = [[], [], []];
  const counts: TraceCounts = {
    total: async () => 0,
    fold: async (_shard, changes) => void folded.push(...changes),
  };
  const window = traceWindow(
    counts,
    async (changes) => void moved.push(...changes),
    async (keys) => void computed.push(...keys),
    withoutDeletions,
    () => now,
  );
  return { folded, moved, computed, window };
};

test("changed hours are carried through the window and computed once, at its end", async () => {
  const { computed, window } = recordingWindow();

  const first = await window({ shardId: "s", Records: [recordOf(10, null, row()), recordOf(11, null, row())] });
  const second = await window({ shardId: "s", Records: [recordOf(10, row(), row())], state: first.state });
  expect(computed).toEqual([]);
  const last = await window({ shardId: "s", state: second.state, isFinalInvokeForWindow: true });

  expect(computed).toEqual([
    { project, hour: "2026-10-01T10", expiry: "-" },
    { project, hour: "2026-10-01T11", expiry: "-" },
  ]);
  expect(last.state).toEqual({});
});

test("a state stays below the size that Lambda carries: many hours are computed before the end", async () => {
  const { computed, window } = recordingWindow();
  const records = Array.from({ length: 5_000 }, (_, index) => recordOf(index % 24, null, row(), randomUUID()));

  const few = await window({ shardId: "s", Records: records.slice(1) });
  const many = await window({ shardId: "s", Records: records.slice(0, 1), state: few.state });

  expect(Buffer.byteLength(JSON.stringify(few.state))).toBeLessThan(512 * 1024);
  expect(computed).toHaveLength(5_000);
  expect(many.state).toEqual({});
});

test.each([
  ["a new row", null, row(), [["-", 1]]],
  ["a removed row", row(), null, [["-", -1]]],
  ["a row that a fence replaces", row("2026-11-01"), fence, [["2026-11-01", -1]]],
  ["a row that replaces a fence", fence, row("2026-11-01"), [["2026-11-01", 1]]],
  ["a changed row", row("2026-11-01"), row("2026-11-01"), []],
  [
    "a row that expires another day",
    row("2026-11-01"),
    row("2026-11-05"),
    [
      ["2026-11-01", -1],
      ["2026-11-05", 1],
    ],
  ],
  ["a new fence", null, fence, []],
] as const)("%s counts as such", async (_what, before, after, changes) => {
  const { folded, window } = recordingWindow();

  await window({ shardId: "s", Records: [recordOf(10, before, after)] });

  expect(folded.map(({ expiry, change }) => [expiry, change])).toEqual(changes);
});

test.each([
  ["comes", null, row("2026-11-01", "a"), ["a"]],
  ["changes", row("2026-11-01", "a"), row("2026-11-01", "a"), ["a"]],
  ["goes", row("2026-11-01", "a"), fence, ["a"]],
  ["goes to another session", row("2026-11-01", "a"), row("2026-11-01", "b"), ["a", "b"]],
  ["joins no session", null, row("2026-11-01"), []],
  ["expires, which the sums of its session know", row("2026-10-20", "a"), null, []],
] as const)("a packed row that %s is passed to the sums of its sessions", async (_what, before, after, sessions) => {
  const { moved, window } = recordingWindow();
  const Key = rowKeyIn(project, randomUUID(), startedAt(10), 0);

  await window({ shardId: "s", Records: [recordAt(Key, before, after)] });

  expect(moved).toEqual(
    sessions.map((name) => ({ project, name: sessionName(Buffer.from(name)), rowKey: Key.sk.toString("hex") })),
  );
});

test("a list of days is no packed row", async () => {
  const { folded, computed, window } = recordingWindow();

  const { state } = await window({ shardId: "s", Records: [recordAt(yearKey(project, 2026), null, {})] });

  expect([folded, computed, state]).toEqual([[], [], {}]);
});

test("an event without a shard is refused: its mapping has no window", async () => {
  await expect(recordingWindow().window({ Records: [] })).rejects.toThrow("no shard id");
});

test("for a project that is being deleted nothing is counted, and no carried hour is computed", async () => {
  const [folded, moved, computed]: [CountChange[], SessionChange[], HourKey[]] = [[], [], []];
  const otherProject = randomUUID();
  const counts: TraceCounts = {
    total: async () => 0,
    fold: async (_shard, changes) => void folded.push(...changes),
  };
  let living = new Set<string>([project, otherProject]);
  const window = traceWindow(
    counts,
    async (changes) => void moved.push(...changes),
    async (keys) => void computed.push(...keys),
    async (ids) => new Set(ids).intersection(living),
  );

  const { state } = await window({
    shardId: "s",
    Records: [recordOf(10, null, row()), recordOf(10, null, row(undefined, "a"), otherProject)],
  });
  living = new Set([otherProject]);
  await window({
    shardId: "s",
    Records: [recordOf(11, null, row(undefined, "a"))],
    state,
    isFinalInvokeForWindow: true,
  });

  expect(folded.map((change) => change.project)).toEqual([project, otherProject]);
  expect(moved.map((change) => change.project)).toEqual([otherProject]);
  expect(computed.map((key) => key.project)).toEqual([otherProject]);
});
