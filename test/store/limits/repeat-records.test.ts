import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repeatRecords } from "../../../lib/store/limits/repeat-records.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.parse("2026-10-01T12:00:00Z");
const hour = 3_600_000;

/** Records on a clock of their own, and an id that nobody has used. */
const ground = () => {
  const clock = { at: start };
  const records = repeatRecords(database, () => clock.at);
  const id = randomUUID();
  return { clock, records, id, begin: (body = "one", lease = 30_000) => records.begin(id, body, lease) };
};

test("of requests that come at once one is worked on, and afterwards all get its answer for a day", async () => {
  const { clock, records, id, begin } = ground();

  const begun = await Promise.all(Array.from({ length: 20 }, () => begin()));
  await records.end(id, '{"deleted":1}');
  clock.at = start + 24 * hour - 1;
  const later = await begin();
  clock.at = start + 24 * hour;

  expect(begun.map(({ kind }) => kind).toSorted()).toEqual(["open", ...Array(19).fill("under-way")]);
  expect(later).toEqual({ kind: "answered", answer: '{"deleted":1}' });
  expect(await begin("two")).toEqual({ kind: "open" });
});

test("a request whose worker has died is taken on again when its lease is over, and by nobody with another body", async () => {
  const { clock, begin } = ground();
  await begin();

  clock.at = start + 30_000;

  expect(await begin("two")).toEqual({ kind: "other-body" });
  expect(await begin()).toEqual({ kind: "open" });
  expect(await begin()).toEqual({ kind: "under-way" });
});

test("of two that answer the same request the first one's answer stays", async () => {
  const { records, id, begin } = ground();
  await begin("one", 0);
  await begin("one", 0);

  await records.end(id, "first");
  await records.end(id, "second");

  expect(await begin()).toEqual({ kind: "answered", answer: "first" });
});

test("a key is free again once its request came to nothing, and not once it was answered", async () => {
  const { records, id, begin } = ground();
  await begin();

  await records.forget(id, "two");
  const kept = await begin("two");
  await records.forget(id, "one");
  const free = await begin("two");
  await records.end(id, "answer");
  await records.forget(id, "two");

  expect([kept, free]).toEqual([{ kind: "other-body" }, { kind: "open" }]);
  expect(await begin("two")).toEqual({ kind: "answered", answer: "answer" });
});
