import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RateLimitResult, rateLimits } from "../../../lib/store/limits/rate-limits.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Seconds that a refused request must wait; null for an admitted request. */
const refusedFor = async (counting: Promise<RateLimitResult>): Promise<number | null> => {
  const { admitted, seconds } = await counting;
  return admitted ? null : seconds;
};

const start = Date.parse("2026-10-01T12:00:00Z");

test("exactly the limit of a hundred concurrent requests is admitted", async () => {
  const [limits, client] = [rateLimits(database), randomUUID()];

  const answers = await Promise.all(Array.from({ length: 100 }, () => limits.count(client, "route", 50)));

  expect(answers.filter((answer) => answer.admitted).length).toBe(50);
});

test("the window starts with the first counted request, and Retry-After is the time to its end", async () => {
  let at = start;
  const limits = rateLimits(database, () => at);
  const client = randomUUID();
  const count = () => refusedFor(limits.count(client, "route", 2));

  expect(await count()).toBeNull();
  at = start + 40_000;
  expect(await count()).toBeNull();
  expect(await count()).toBe(20);
  at = start + 40_001;
  expect(await count()).toBe(20);
  at = start + 59_999;
  expect(await count()).toBe(1);
  at = start + 60_000;
  expect(await count()).toBeNull();
  at = start + 100_000;
  expect(await count()).toBeNull();
  expect(await count()).toBe(20);
});

test("a refused request does not extend the window", async () => {
  let at = start;
  const limits = rateLimits(database, () => at);
  const client = randomUUID();
  await limits.count(client, "route", 1);

  for (at = start + 1_000; at < start + 60_000; at += 10_000) {
    expect(await refusedFor(limits.count(client, "route", 1))).toBe(Math.ceil((start + 60_000 - at) / 1000));
  }

  at = start + 60_000;
  expect(await refusedFor(limits.count(client, "route", 1))).toBeNull();
});

test("clients and routes are counted separately", async () => {
  const limits = rateLimits(database);
  const client = randomUUID();

  expect(await refusedFor(limits.count(client, "one", 1))).toBeNull();
  expect(await refusedFor(limits.count(client, "two", 1))).toBeNull();
  expect(await refusedFor(limits.count(randomUUID(), "one", 1))).toBeNull();
  expect(await refusedFor(limits.count(client, "one", 1))).toBeGreaterThan(0);
});

test("a window that has just ended is opened once by concurrent requests", async () => {
  let at = start;
  const limits = rateLimits(database, () => at);
  const client = randomUUID();
  await limits.count(client, "route", 5);
  at = start + 60_000;

  const answers = await Promise.all(Array.from({ length: 40 }, () => limits.count(client, "route", 5)));

  expect(answers.filter((answer) => answer.admitted).length).toBe(5);
});
