import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOfDay, instantAt } from "../../../lib/domain/instant.ts";
import type { Json } from "../../../lib/domain/json.ts";
import type { IdentifiedSpan } from "../../../lib/domain/traces/input.ts";
import { spanKinds } from "../../../lib/domain/traces/trace.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { traceReply } from "../../../lib/http/traces/reply.ts";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { exportDays, missingText } from "../../../lib/lake/export-days.ts";
import { dayWriter } from "../../../lib/lake/day-writer.ts";
import { folderStore } from "../../../lib/lake/folder.ts";
import { filesOfSpans } from "../../../lib/lake/object-keys.ts";
import { parquetOf } from "../../../lib/lake/parquet.ts";
import { closingMilliseconds } from "../../../lib/lake/parts/day-parts-writer.ts";
import { sql } from "../../../lib/lake/sql.ts";
import { dueDayWriter } from "../../../lib/lake/write-due-days.ts";
import { hourRollups } from "../../../lib/store/hours/rollups.ts";
import { lakeChanges } from "../../../lib/store/lake/changes.ts";
import { closedDays } from "../../../lib/store/lake/closed-days.ts";
import { dueDays, nextPass } from "../../../lib/store/lake/due-days.ts";
import type { LakeFile } from "../../../lib/store/lake/lake-file.ts";
import { lakeManifests } from "../../../lib/store/lake/manifests.ts";
import { pointerKey } from "../../../lib/store/traces/keys.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { markLakeChanges } from "../../../lib/stream/lake-changes.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { temporaryFolder, testEngine } from "../../support/lake/lake.ts";
import { seeded, type Random } from "../../support/random.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const day = "2026-10-01";
const [start, hour] = [Date.parse(`${day}T00:00:00Z`), 3_600_000];
const database = quietDatabase();

/** Values that have to come through two layers of JSON. */
const values: readonly [Json, ...Json[]] = [
  null,
  "",
  'say "no" \\ twice',
  "line\nbreak \u0000 \u2028",
  "Ünal 🦊 東京",
  0,
  1e21,
  false,
  [],
  {},
  { "a.b": [{ x: null }] },
  2 ** 60,
];

const spanOf = (random: Random, startedAt: string): IdentifiedSpan => ({
  span_id: random.chance(0.5) ? randomUUID() : `span ${random.below(1e9)} "é`,
  parent_span_id: random.chance(0.5) ? "p" : null,
  name: random.pick(["plan", "a\u0000b", "検索"]),
  kind: random.pick(spanKinds),
  status: random.pick(["OK", "ERROR", "UNSET"]),
  error: random.chance(0.2) ? 'boom "\n' : null,
  model: random.chance(0.6) ? random.pick(["m-1", "m-2"]) : null,
  input: random.pick(values),
  output: random.pick(values),
  metadata: random.chance(0.5) ? { value: random.pick(values) } : {},
  token_usage: random.chance(0.5) ? { prompt_tokens: random.below(99), completion_tokens: random.below(9) } : null,
  cost: random.chance(0.5) ? { total: random.below(1e6) / 1e9 } : null,
  started_at: instantAt(Date.parse(startedAt) + random.between(-5, 100) * 1_000),
  ended_at: random.chance(0.8) ? instantAt(Date.parse(startedAt) + 200_000) : null,
});

/** A project with a stream worker and a writer that the sweeper would start. @param retentionDays 0 for unlimited retention. */
const setUp = async (retentionDays = 0) => {
  const [project, folder] = [randomUUID(), temporaryFolder()];
  await itemsOf(database(), "access").put(projectKey(project));
  const engine = await testEngine(folder);
  const clock = { now: start + 25 * hour };
  const now = (): number => clock.now;
  const objects = folderStore(join(folder, "bucket"));
  const [due, changes] = [dueDays(database(), now), lakeChanges(database(), now)];
  const mark = markLakeChanges(closedDays(database(), now), changes, due, withoutDeletions, now);
  const [traces, reader] = [traceStore(database(), retentionDays, now), traceReader(database(), now)];
  const writer = dayWriter(database(), objects, engine, folder, now);
  const write = dueDayWriter(database(), writer, now);
  const manifest = () => lakeManifests(database(), now).get(project, day);
  const rowsOf = (files: readonly LakeFile[]) => {
    const paths = files.filter(({ table }) => table === "spans").map(({ key }) => join(folder, "bucket", key));
    return engine.rows(sql`SELECT *, epoch_us(started_at) AS at FROM ${parquetOf(paths)}`);
  };
  return {
    clock,
    due,
    engine,
    folder,
    manifest,
    project,
    rowsOf,
    writer,
    days: () => exportDays(database(), now)(project, day, day, true),
    run: (budget = 10 * 60_000) => write(budget),
    target: { project, day },
    traceOf: async (id: string) => {
      const stored = await reader.get(project, id);
      return stored === null ? null : traceReply(project, stored.trace);
    },
    save: async (random: Random, index: number, id: string = randomUUID()): Promise<string> => {
      const startedAt = instantAt(start + index * 60_000);
      const spans = Array.from({ length: random.below(5) }, () => spanOf(random, startedAt));
      const fields = { input: random.pick(values), output: random.pick(values), metadata: { of: random.pick(values) } };
      await traces.save(project, someTrace({ trace_id: id, started_at: startedAt, ended_at: null, spans, ...fields }));
      await mark([{ project, startedAt }]);
      return id;
    },
    remove: async (id: string, index: number): Promise<void> => {
      await deleteTrace(database(), project, id);
      await mark([{ project, startedAt: instantAt(start + index * 60_000) }]);
    },
    /** Counts the traces of the day, as the stream of rows would have it. */
    count: async (): Promise<void> => {
      for (const at of ["00", "01"])
        await hourRollups(database(), now).refresh({ project, hour: `${day}T${at}`, expiry: "-" });
    },
  };
};

const textOf = (value: Json): string | null => (value === null ? null : JSON.stringify(value));

/** The rows of a trace, as its reply shows it. */
const expectedRows = (trace: ReturnType<typeof traceReply>) => [
  [
    trace.trace_id,
    null,
    null,
    trace.name,
    null,
    trace.status,
    null,
    null,
    trace.started_at,
    textOf(trace.input),
    textOf(trace.output),
    textOf(trace.metadata),
  ],
  ...trace.spans.map((span) => [
    trace.trace_id,
    span.span_id,
    span.parent_span_id,
    span.name,
    span.kind,
    span.status,
    span.error,
    span.model,
    span.started_at,
    textOf(span.input),
    textOf(span.output),
    textOf(span.metadata),
  ]),
];

const rowOf = (row: Readonly<Record<string, unknown>>) => [
  row["trace_id"],
  row["span_id"],
  row["parent_span_id"],
  row["name"],
  row["kind"],
  row["status"],
  row["error"],
  row["model"],
  instantAt(Number(row["at"]) / 1_000),
  row["input"],
  row["output"],
  row["metadata"],
];

const textsOf = (rows: readonly unknown[]): readonly string[] => rows.map((row) => JSON.stringify(row)).toSorted();

test("spans of a closed day have what the traces show, also after some have changed, come and gone", async () => {
  const seed = Number(process.env["SPANS_SEED"] ?? freshSeed());
  const random = seeded(seed);
  const { clock, days, due, count, manifest, remove, rowsOf, run, save, target, traceOf } = await setUp();
  const indexes = new Map<string, number>();
  for (let index = 0; index < 40; index += 1) indexes.set(await save(random, index), index);
  const expectSpans = async (): Promise<void> => {
    const files = filesOfSpans((await manifest())?.spans ?? []);
    const traces = await Promise.all([...indexes.keys()].map(traceOf));
    const rows = await rowsOf(files);
    expect(textsOf(rows.map(rowOf)), `SPANS_SEED=${seed}`).toEqual(
      textsOf(traces.flatMap((trace) => (trace === null ? [] : expectedRows(trace)))),
    );
    // Rows of a trace are neighbours, and add up to its totals.
    const ids = rows.map((row) => row["trace_id"]);
    expect(ids.filter((id, index) => id !== ids[index - 1])).toHaveLength(new Set(ids).size);
    for (const trace of traces) {
      const rowsOfTrace = rows.filter((row) => row["trace_id"] === trace?.trace_id);
      const sum = (...columns: readonly string[]): number =>
        rowsOfTrace.reduce((total, row) => total + columns.reduce((each, name) => each + Number(row[name] ?? 0), 0), 0);
      expect(sum("prompt_tokens", "completion_tokens")).toBe(trace?.total_tokens);
      expect(sum("cost_nano_usd") / 1e9).toBeCloseTo(trace?.total_cost ?? 0, 8);
    }
    expect((await days()).map(missingText)).toEqual([null]);
  };
  await count();
  await due.ask([target], true);
  await run();
  clock.now += closingMilliseconds;
  await run();
  expect((await days()).map(missingText)).toEqual([expect.stringContaining("no spans in its files yet")]);
  await due.ask([target], true);
  await run();
  await expectSpans();

  for (const [id, index] of [...indexes].filter(() => random.chance(0.3)))
    if (random.chance(0.5)) {
      await remove(id, index);
      indexes.delete(id);
    } else await save(random, index, id);
  for (let index = 0; index < 5; index += 1) indexes.set(await save(random, index), index);
  expect(await days()).toMatchObject([{ isComplete: false }]);
  clock.now = nextPass(clock.now);
  await run();
  await count();

  await expectSpans();
});

test("spans of an open day come in a snapshot, and those of a closed one stay once an export has asked for them", async () => {
  const random = seeded(1);
  const { clock, count, days, due, manifest, rowsOf, run, save, target } = await setUp();
  clock.now = start + 12 * hour;
  const ids = [await save(random, 0), await save(random, 1)];
  await count();
  await due.ask([target]);
  await run();
  const [withoutSpans] = await days();
  expect(withoutSpans).toMatchObject({ isFresh: false, isComplete: false, spans: "missing" });

  await due.ask([target], true);
  await run();
  const [open] = await days();
  expect(open).toMatchObject({ status: "open", isFresh: true, isComplete: true, spans: "whole" });
  expect(new Set((await rowsOf(open?.files ?? [])).map((row) => row["trace_id"]))).toEqual(new Set(ids));
  clock.now = endOfDay(day) + 2 * hour;
  await due.ask([target]);
  await run();
  clock.now += closingMilliseconds;
  await run();

  expect(await manifest()).toMatchObject({ generation: 2, spans: null });
  await due.ask([target], true);
  await run();
  expect(await manifest()).toMatchObject({ spans: [{ shards: 1 }] });
  expect(await run(0)).toMatchObject({ days: 0 });
});

test("spans that are asked for go on where the time of a writer ended", async () => {
  const random = seeded(2);
  const { clock, manifest, rowsOf, save, target, writer } = await setUp();
  for (let index = 0; index < 3; index += 1) await save(random, index);
  await writer.write(target.project, day);
  clock.now += closingMilliseconds;
  await writer.write(target.project, day);

  expect(await writer.addParts(target.project, day, clock.now, true)).toBe(false);
  expect(await manifest()).toMatchObject({ spans: [], words: [] });
  expect(await writer.addParts(target.project, day, Infinity, false)).toBe(true);

  const spans = (await manifest())?.spans ?? [];
  expect((await rowsOf(filesOfSpans(spans))).filter((row) => row["span_id"] === null)).toHaveLength(3);
});

test("a document above the size of those that are read together is in the files, too", async () => {
  const { clock, count, days, due, project, rowsOf, run, target } = await setUp();
  clock.now = start + 12 * hour;
  const trace = someTrace({ started_at: instantAt(start), input: '"'.repeat(3_000_000), output: null });
  await saveTraces(database(), project, [trace]);
  await count();
  await due.ask([target], true);
  await run();

  const [stored] = await days();

  expect(stored).toMatchObject({ isComplete: true, spans: "whole" });
  const row = (await rowsOf(stored?.files ?? [])).find((each) => each["span_id"] === null);
  expect(row?.["input"] === JSON.stringify(trace.input)).toBe(true);
});

test("spans of expired traces leave the files", async () => {
  const random = seeded(3);
  const { clock, due, manifest, rowsOf, run, save, target } = await setUp(30);
  await save(random, 0);
  clock.now += 24 * hour;
  const longer = await save(random, 1);
  await due.ask([target], true);
  await run();
  clock.now += closingMilliseconds;
  await due.ask([target], true);
  await run();
  const ids = async () =>
    new Set((await rowsOf(filesOfSpans((await manifest())?.spans ?? []))).map((row) => row["trace_id"]));
  expect((await ids()).size).toBe(2);
  clock.now = ((await manifest())?.expiresAt ?? 0) + hour;
  await due.ask([target]);
  await run();

  expect(await ids()).toEqual(new Set([longer]));
});

test("an export tells that its files have other spans than are stored, and does not write them again at once", async () => {
  const random = seeded(4);
  const { clock, count, days, due, project, run, save, target } = await setUp();
  clock.now = start + 12 * hour;
  const ids = [await save(random, 0), await save(random, 1)];
  await count();
  expect((await days()).map(missingText)).toEqual([expect.stringContaining("no files yet")]);
  await itemsOf(database(), "bodies").remove(pointerKey(project, ids[0] ?? ""));
  await due.ask([target], true);
  await run();

  const [stored] = await days();

  expect(stored).toMatchObject({ storedTraces: 2, spans: "different", isFresh: true, isComplete: false });
  expect((await days()).map(missingText)).toEqual([expect.stringContaining("other spans in its files")]);
});
