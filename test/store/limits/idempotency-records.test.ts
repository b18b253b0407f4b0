import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { idempotencyRecords } from "../../../lib/store/limits/idempotency-records.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.parse("2026-10-01T12:00:00Z");
const hour = 3_600_000;

/** Idempotency records on a simulated clock, and an unused request id. */
const setUp = () => {
  const clock = { at: start };
  const records = idempotencyRecords(database, () => clock.at);
  const id = randomUUID();
  return { clock, records, id, begin: (body = "one", lease = 30_000) => records.begin(id, body, lease) };
};

test("one of several concurrent requests is processed, and all later ones get its answer for a day", async () => {
  const { clock, records, id, begin } = setUp();

  const results = await Promise.all(Array.from({ length: 20 }, () => begin()));
  await records.end(id, '{"deleted":1}');
  clock.at = start + 24 * hour - 1;
  const later = await begin();
  clock.at = start + 24 * hour;

  expect(results.map(({ kind }) => kind).toSorted()).toEqual(["open", ...Array(19).fill("under-way")]);
  expect(later).toEqual({ kind: "answered", answer: '{"deleted":1}' });
  expect(await begin("two")).toEqual({ kind: "open" });
});

test("a request whose worker died is processed again after its lease, and not with another body", async () => {
  const { clock, begin } = setUp();
  await begin();

  clock.at = start + 30_000;

  expect(await begin("two")).toEqual({ kind: "other-body" });
  expect(await begin()).toEqual({ kind: "open" });
  expect(await begin()).toEqual({ kind: "under-way" });
});

test("the first answer of two workers that process the same request is kept", async () => {
  const { records, id, begin } = setUp();
  await begin("one", 0);
  await begin("one", 0);

  await records.end(id, "first");
  await records.end(id, "second");

  expect(await begin()).toEqual({ kind: "answered", answer: "first" });
});

test("a key is free again after its request failed, and not after it was answered", async () => {
  const { records, id, begin } = setUp();
  await begin();

  await records.release(id, "two");
  const resultOfOther = await begin("two");
  await records.release(id, "one");
  const resultAfterRelease = await begin("two");
  await records.end(id, "answer");
  await records.release(id, "two");

  expect([resultOfOther, resultAfterRelease]).toEqual([{ kind: "other-body" }, { kind: "open" }]);
  expect(await begin("two")).toEqual({ kind: "answered", answer: "answer" });
});
