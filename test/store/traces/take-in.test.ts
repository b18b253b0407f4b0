import { randomBytes, randomUUID } from "node:crypto";
import { parse } from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { takeIn } from "../../../lib/handlers/traces/take-in.ts";
import { exportedSpans } from "../../../lib/otlp/exported-span.ts";
import { traceUuid } from "../../../lib/otlp/span-ids.ts";
import { tracesOf, type SentTrace } from "../../../lib/otlp/traces-of.ts";
import type { Database } from "../../../lib/store/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");

const sentTraces = (count: number, spansOfEach = 1): readonly SentTrace[] => {
  const ids = Array.from({ length: count }, () => hex(16));
  const spans = ids.flatMap((id) => Array.from({ length: spansOfEach }, () => jsonSpan(id, hex(8))));
  return tracesOf(exportedSpans(parse(exportTraces.body, jsonExport(spans))).spans).traces;
};

const newProject = () => ({ id: randomUUID(), metadataKeys: [] });

const storedOf = async (project: string, sent: readonly SentTrace[]): Promise<number> => {
  const found = await Promise.all(sent.map(({ trace }) => traceReader(database).get(project, trace.trace_id)));
  return found.filter((trace) => trace !== null).length;
};

const isRowWrite = (operation: string, input: Readonly<Record<string, unknown>>): boolean =>
  operation === "PutItem" && input["TableName"] === "rows";

const hours = { begin: 3_600_000, answer: 3_600_000 };

test("what does not fit the time is asked for again, and sent again it gets further until all is stored", async () => {
  const [project, sent] = [newProject(), sentTraces(100)];
  let at = 0;
  const slow = faultyDatabase(database, ({ operation, input }) => {
    if (isRowWrite(operation, input)) at += 10;
    return null;
  });
  // Whatever a trace is, looking at it takes time, too.
  const now = (): number => (at += 2);
  const takeAll = () => takeIn(traceStore(slow, 0), project, sent, { begin: 500, answer: 3_600_000 }, now);

  const counts: number[] = [];
  const [outcomes, asked]: [unknown[], unknown[]] = [[], []];
  while (counts.length < 10 && outcomes.at(-1) === undefined) {
    try {
      outcomes.push(await takeAll());
    } catch (error) {
      asked.push(error);
    }
    counts.push(await storedOf(project.id, sent));
  }

  expect(outcomes).toEqual([[]]);
  // A request in which all came to be stored may have had no time left to see it.
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect(asked).toMatchObject(asked.map(() => ({ reason: { kind: "rate-limited", retryAfter: 1 } })));
  expect(counts).toHaveLength(asked.length + 1);
  const open = counts.filter((stored) => stored < 100);
  expect(open).toEqual([...new Set(open)].toSorted((a, b) => a - b));
  expect(counts).toEqual([...open, ...counts.slice(open.length).map(() => 100)]);
  expect(open.length).toBeGreaterThanOrEqual(1);
  expect(counts.at(-1)).toBe(100);
});

test("what DynamoDB has no capacity for at first is stored behind the others", async () => {
  const [project, sent] = [newProject(), sentTraces(60)];
  let refusals = 0;
  const busy = faultyDatabase(
    database,
    ({ operation, input }) => {
      if (!isRowWrite(operation, input) || refusals >= 90) return null;
      refusals += 1;
      return "throttle";
    },
    1,
  );

  expect(await takeIn(traceStore(busy, 0), project, sent, hours)).toEqual([]);
  expect([refusals, await storedOf(project.id, sent)]).toEqual([90, 60]);
});

test("one that stays throttled is asked for again, not answered as a fault", async () => {
  const [project, sent] = [newProject(), sentTraces(5)];
  let at = 0;
  const never = faultyDatabase(
    database,
    ({ operation, input }) => {
      at += 1;
      return isRowWrite(operation, input) ? "throttle" : null;
    },
    1,
  );

  const taking = takeIn(traceStore(never, 0), project, sent, { begin: 50, answer: 3_600_000 }, () => at);

  await expect(taking).rejects.toMatchObject({ reason: { kind: "rate-limited", retryAfter: 1 } });
});

test("an answer does not wait for what does not end", async () => {
  const [project, sent] = [newProject(), sentTraces(5)];
  const { promise, resolve } = Promise.withResolvers<null>();
  const stuck = faultyDatabase(database, ({ operation, input }) => (isRowWrite(operation, input) ? promise : null));

  const taking = takeIn(traceStore(stuck, 0), project, sent, { begin: 1_000, answer: 1 });

  await expect(taking).rejects.toMatchObject({ reason: { kind: "unavailable" } });
  resolve(null);
  await stuck.quiet();
});

test("a batch sent again reads two items for each trace, hundreds in one request, and writes nothing", async () => {
  const counted: Database = faultyDatabase(database, () => null);
  const [project, sent, take] = [newProject(), sentTraces(200, 3), countCapacity(counted)];
  await takeIn(traceStore(counted, 0), project, sent, hours);
  const first = take();

  expect(await takeIn(traceStore(counted, 0), project, sent, hours)).toEqual([]);
  const again = take();

  expect(first.calls).toBeLessThan(450);
  expect(again.write).toBe(0);
  expect(again.calls).toBeLessThanOrEqual(5);
});

test("of a trace that was sent twice in different words the later words are stored", async () => {
  const [project, traceId, spanId] = [newProject(), hex(16), hex(8)];
  const send = (name: string) => {
    const { spans } = exportedSpans(parse(exportTraces.body, jsonExport([jsonSpan(traceId, spanId, { name })])));
    return takeIn(traceStore(database, 0), project, tracesOf(spans).traces, hours);
  };

  await send("first");
  await send("first");
  await send("second");
  const found = await traceReader(database).get(project.id, traceUuid(traceId));

  expect(found?.trace).toMatchObject({ name: "second", spans: [{ name: "second" }] });
});
