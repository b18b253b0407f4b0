import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { rowKeyIn, tombstoneKey } from "../../../lib/store/traces/keys.ts";
import { isRemoval, removalFilters, removalsOf } from "../../../lib/stream/removals.ts";

type Image = NonNullable<NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"]>;

const project = randomUUID();
const trace = randomUUID();

const record = (
  { pk, sk }: { readonly pk: Buffer; readonly sk: Buffer },
  before: Image | null,
  after: Image | null,
): DynamoDBRecord => ({
  eventName: before === null ? "INSERT" : after === null ? "REMOVE" : "MODIFY",
  dynamodb: {
    Keys: { pk: { B: pk.toString("base64") }, sk: { B: sk.toString("base64") } },
    ...(before !== null && { OldImage: before }),
    ...(after !== null && { NewImage: after }),
  },
});

const row: Image = { d: { B: "AA==" }, v: { N: "1" }, i: { S: "life" } };
const fence: Image = { i: { S: "fence" }, x: { S: "life" }, ttl: { N: "1" } };
const plainFence: Image = { i: { S: "fence" }, ttl: { N: "1" } };
const laid: Image = { id: { S: "t" }, session: { S: "s" }, at: { N: "12" }, ttl: { N: "1" } };
const closed: Image = { ...laid, closed: { BOOL: true } };

const ofTrace = (before: Image | null, after: Image | null): DynamoDBRecord =>
  record(rowKeyIn(project, trace, "2026-10-01T10:00:00+00:00", 0), before, after);
const ofSession = (before: Image | null, after: Image | null): DynamoDBRecord =>
  record(tombstoneKey(project, "s"), before, after);

test.each<[string, DynamoDBRecord]>([
  ["comes in the row's place", ofTrace(row, fence)],
  ["expires", ofTrace(fence, null)],
  ["gives way to a new writer's fence", ofTrace(fence, plainFence)],
])("a tombstone that names the ended incarnation is read when it %s", (_, event) => {
  expect([passesFilters(event, removalFilters), isRemoval(event)]).toEqual([true, true]);
  expect(removalsOf(event)).toEqual([{ kind: "trace", project, trace, incarnation: "life" }]);
});

test.each<[string, DynamoDBRecord]>([
  ["is closed", ofSession(laid, closed)],
  ["expires", ofSession(closed, null)],
  ["expires because its request died", ofSession(laid, null)],
])("a session's tombstone is read when it %s", (_, event) => {
  expect([passesFilters(event, removalFilters), isRemoval(event)]).toEqual([true, true]);
  expect(removalsOf(event)).toEqual([{ kind: "session", project, session: "s", at: 12 }]);
});

test("a session's tombstone is ignored while its deletion request counts", () => {
  const records = [ofSession(null, laid), ofSession(closed, laid)];

  expect(records.filter(isRemoval)).toEqual([]);
});

test("packed rows, tombstones against slow writers and expired traces are ignored", () => {
  const otherRecords = [ofTrace(null, row), ofTrace(row, row), ofTrace(row, null), ofTrace(row, plainFence)];

  expect(otherRecords.filter((event) => passesFilters(event, removalFilters) || isRemoval(event))).toEqual([]);
});

test("a record of no deletion is a fault, not a deletion", () => {
  expect(() => removalsOf(ofTrace(null, row))).toThrow("not about a deletion");
  expect(() => removalsOf({})).toThrow("no key");
});
