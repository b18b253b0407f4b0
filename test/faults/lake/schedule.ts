import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DynamoDBRecord } from "aws-lambda";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { epochOf, instantAt, parseInstant, type Instant } from "../../../lib/domain/instant.ts";
import { dayWriter } from "../../../lib/lake/day-writer.ts";
import { folderStore } from "../../../lib/lake/folder.ts";
import type { ObjectStore } from "../../../lib/lake/object-store.ts";
import { filesOfSpans, keysOfPart } from "../../../lib/lake/object-keys.ts";
import { parquetOf } from "../../../lib/lake/parquet.ts";
import { closingMilliseconds } from "../../../lib/lake/parts/day-parts-writer.ts";
import { sql } from "../../../lib/lake/sql.ts";
import { instantText } from "../../../lib/lake/trace-list.ts";
import { lakeChanges } from "../../../lib/store/lake/changes.ts";
import { dueDays } from "../../../lib/store/lake/due-days.ts";
import { closedDays } from "../../../lib/store/lake/closed-days.ts";
import { lakeDayViews } from "../../../lib/store/lake/day-view.ts";
import { lakeManifests, type Manifest } from "../../../lib/store/lake/manifests.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { rowScan } from "../../../lib/store/traces/row-scan.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { changedRows, markLakeChanges, tracesOfScores } from "../../../lib/stream/lake-changes.ts";
import { scoreFilters } from "../../../lib/stream/score-change.ts";
import type { TableStream } from "../../support/database/table-stream.ts";
import type { TestDatabase } from "../../support/database/database.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import { Crash, faultyDatabase, type FaultyDatabase } from "../../support/faults/faults.ts";
import { seededFaults, type FaultRates, type Tally } from "../../support/faults/seeded-faults.ts";
import { openTestEngine } from "../../support/lake/lake.ts";
import { seeded, type Random } from "../../support/random.ts";
import { someScore } from "../../support/scores.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { shardConsumerModel } from "../aggregates/shard-consumer-model.ts";
import { modelStream } from "../aggregates/shard-model.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";

/** Result of a schedule of a day that is closed while its traces change. */
interface LakeReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
}

/** Streams of the tables whose changes are marked, read by this schedule alone. */
interface Streams {
  readonly rows: TableStream;
  readonly scores: TableStream;
}

const day = "2026-10-01";
const start = Date.parse(`${day}T00:00:00Z`);
const [minute, hour] = [60_000, 3_600_000];

/** Starts of traces: so few that several traces share one. */
const startOf = (random: Random): Instant => instantAt(start + random.below(16) * hour);

const operations = ["save", "save", "rename", "delete", "score", "score", "edit", "unscore", "write", "write"] as const;

/**
 * An object store whose process may be killed before and after each call.
 *
 * @param gate resolves when a process may go on that has stored its first file.
 */
const mortal = (
  store: ObjectStore,
  connection: FaultyDatabase,
  random: Random,
  rate: number,
  gate: Promise<void>,
): ObjectStore => {
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (random.chance(rate)) connection.crash();
    if (connection.crashed) throw new Crash();
    const result = await work();
    if (random.chance(rate)) connection.crash();
    if (connection.crashed) throw new Crash();
    return result;
  };
  return {
    put: (...values) =>
      call(async () => {
        await store.put(...values);
        await gate;
      }),
    download: (...values) => call(() => store.download(...values)),
    list: (prefix) => call(() => store.list(prefix)),
    remove: (key) => call(() => store.remove(key)),
  };
};

const textOf = (...values: readonly unknown[]): string => JSON.stringify(values);

/**
 * Closes a day and writes its files several times, with writers that fail, crash and overtake each other, while traces and scores of the day
 * come, change and go, and failing stream workers mark them. At each moment the manifest must name whole files; when the streams are
 * read to their end, files and marks together must show the day as it is; and in the end the files alone.
 */
export const runLake = async (database: TestDatabase, streams: Streams, seed: number): Promise<LakeReport> => {
  const random = seeded(seed);
  const [invariants, tally]: [ReturnType<typeof violations>, Tally] = [violations(), new Map()];
  const project = randomUUID();
  const folder = mkdtempSync(join(tmpdir(), "assay-lake-"));
  const objects = folderStore(join(folder, "bucket"));
  const engine = await openTestEngine(folder);
  const order = random.fork("order");
  // Days of even seeds get an index while they are open, before and after a pass.
  let isOpen = seed % 2 === 0;
  let at = start + (isOpen ? 10.5 : 25) * hour;
  const now = (): number => at;
  let rates: FaultRates = storm(random.fork("weather")).database;
  let killRate = 0.03;
  let processes = 0;
  const connect = (): FaultyDatabase => {
    processes += 1;
    return faultyDatabase(database, seededFaults(random.fork(`process ${processes}`), rates, tally));
  };

  const [manifests, changes] = [lakeManifests(database, now), lakeChanges(database, now)];
  const traces = traceStore(database, 0, now);

  /** A stream worker, which keeps what it remembers until it crashes. */
  const newWorker = () => {
    const connection = connect();
    const [closed, due] = [closedDays(connection, now), dueDays(connection, now)];
    const mark = markLakeChanges(closed, lakeChanges(connection, now), due, withoutDeletions, now);
    return { connection, mark, reader: traceReader(connection, now) };
  };
  let worker = newWorker();
  const inWorker = async (work: (current: typeof worker) => Promise<void>): Promise<void> => {
    if (worker.connection.crashed || random.chance(0.1)) worker = newWorker();
    const current = worker;
    await work(current);
    if (current.connection.crashed) throw new Crash();
  };
  const followers = [
    {
      read: streams.rows,
      call: (records: readonly DynamoDBRecord[]) => inWorker(({ mark }) => mark(changedRows(records))),
    },
    {
      read: async () => (await streams.scores()).filter((record) => passesFilters(record, scoreFilters)),
      call: (records: readonly DynamoDBRecord[]) =>
        inWorker(async ({ mark, reader }) => {
          const startedAt = async (ofProject: string, trace: string) =>
            (await reader.pointerSnapshot(ofProject, trace))?.pointer.startedAt ?? null;
          await mark(await tracesOfScores(records, startedAt), "scores");
        }),
    },
  ].map(({ read, call }, index) => {
    const model = modelStream(random.fork(`shards ${index}`));
    const consumer = shardConsumerModel(random.fork(`consumer ${index}`), model, ({ Records }) => call(Records), false);
    return async (): Promise<boolean> => {
      model.add(await read());
      return await consumer.step();
    };
  });

  let folders = 0;
  const write = async (gate = Promise.resolve()): Promise<void> => {
    const connection = connect();
    folders += 1;
    const chance = random.fork(`writer ${folders}`);
    const directory = mkdtempSync(join(folder, "work-"));
    const store = mortal(objects, connection, chance, killRate, gate);
    const writer = dayWriter(connection, store, engine, directory, now);
    /** Closes further hours of the day, up to the last that is over. */
    const endFrom = async (from: Instant): Promise<Instant | null> => {
      const end = Math.min(
        epochOf(from) + chance.between(1, 12) * hour,
        start + Math.floor((at - start) / hour) * hour,
      );
      return end > epochOf(from) ? instantAt(end) : null;
    };
    const passes = {
      sweep: () => writer.sweep(project, day),
      index: () => writer.addParts(project, day, Infinity, chance.chance(0.5)),
      indexOpen: () => writer.index({ project, day }, Infinity, endFrom),
      write: () => writer.write(project, day),
    } as const;
    const kinds = isOpen
      ? (["sweep", "indexOpen", "indexOpen"] as const)
      : (["sweep", "index", "write", "write", "write"] as const);
    const pass: Promise<unknown> = passes[chance.pick<keyof typeof passes>(kinds)]();
    await pass.catch(() => undefined);
    await connection.quiet();
  };

  /** Writers that have read the day and are slow to publish it, for a quarter of an hour at most as functions are. */
  const slowWriters: { readonly since: number; readonly release: () => void; readonly end: Promise<void> }[] = [];
  const startSlowly = (): void => {
    const { promise, resolve } = Promise.withResolvers<void>();
    slowWriters.push({ since: at, release: resolve, end: write(promise) });
  };
  /** Ends the writers that are due. @returns whether any was. */
  const endSlowWriters = async (isDue: (since: number) => boolean): Promise<boolean> => {
    const writers = slowWriters.splice(0);
    const due = writers.filter(({ since }) => isDue(since));
    slowWriters.push(...writers.filter((writer) => !due.includes(writer)));
    for (const { release, end } of due) {
      release();
      await end;
    }
    return due.length > 0;
  };

  /** Files of the manifest, which must be as it says. */
  const filesOf = (manifest: Pick<Manifest, "files">): Readonly<Record<string, string>> =>
    Object.fromEntries(
      manifest.files.map(({ table, key, sha256 }) => {
        const path = join(folder, "bucket", key);
        const sum = createHash("sha256").update(readFileSync(path)).digest("hex");
        invariants.expect(sum === sha256, `The file ${table} has another sum than the manifest says`);
        return [table, path];
      }),
    );

  /** Scores by id, with what the day shows of each. */
  const alive = new Map<string, { readonly trace: string; readonly startedAt: Instant; readonly value: string }>();

  /** What rows and scores of the store show of the day, without the traces of some instants. */
  const truth = async (without: ReadonlySet<Instant>): Promise<readonly string[]> => {
    const texts: string[] = [];
    const to = instantAt(start + 24 * hour);
    await rowScan(database, now).all(project, { from: instantAt(start), to }, { strongly: true }, (row) => {
      if (!without.has(row.startedAt)) texts.push(textOf("trace", row.traceId, row.name, row.tags));
    });
    for (const [id, { trace, startedAt, value }] of alive)
      if (!without.has(startedAt)) texts.push(textOf("score", id, trace, Number(value)));
    return texts.toSorted();
  };

  /** Compares what the files show, apart from marked instants, with the store. */
  const compare = async (phase: string): Promise<void> => {
    const [view] = await lakeDayViews(database)(project, day, day, true);
    if (view === undefined) return;
    const marks = new Set(view.changed);
    const { traces: rows = "", scores = "" } = filesOf(view);
    const unmarked = sql`(SELECT unnest(from_json(${JSON.stringify([...marks])}, '["VARCHAR"]'))::TIMESTAMPTZ)`;
    const shown = [
      ...(
        await engine.rows(
          sql`SELECT trace_id, name, tags FROM ${parquetOf([rows])} WHERE started_at NOT IN ${unmarked}`,
        )
      ).map(({ trace_id, name, tags }) => textOf("trace", trace_id, name, tags)),
      ...(
        await engine.rows(
          sql`SELECT score_id, trace_id, number FROM ${parquetOf([scores])} WHERE trace_started_at NOT IN ${unmarked}`,
        )
      ).map(({ score_id, trace_id, number }) => textOf("score", score_id, trace_id, number)),
    ].toSorted();
    const expected = await truth(marks);
    const missing = expected.filter((text) => !shown.includes(text));
    const wrong = shown.filter((text) => !expected.includes(text));
    invariants.expect(
      missing.length + wrong.length === 0 && shown.length === expected.length,
      `${phase}: the files lack ${missing.join()} and have ${wrong.join()}`,
    );
  };

  /** Compares what the index of words has, apart from instants at which traces are marked, with the rows' previews of inputs of one word. */
  const compareWords = async (phase: string): Promise<void> => {
    const marks = (await changes.list(project, day)).filter(({ scoresOnly }) => !scoresOnly);
    const marked = new Set(marks.map(({ startedAt }) => startedAt));
    const parts = (await manifests.get(project, day))?.words ?? [];
    const paths = parts.flatMap(keysOfPart).map((key) => join(folder, "bucket", key));
    const rows =
      paths.length === 0 ? [] : await engine.rows(sql`SELECT word, ${instantText} AS at FROM ${parquetOf(paths)}`);
    const shown = rows
      .map(({ word, at: instant }) => textOf(parseInstant(String(instant)), word))
      .filter((text) => !marked.has(String(JSON.parse(text)[0])));
    const expected = new Set<string>();
    for (const { from, to } of parts)
      await rowScan(database, now).all(project, { from, to }, { strongly: true }, ({ startedAt, facts }) => {
        if (!marked.has(startedAt)) expected.add(textOf(startedAt, facts?.preview));
      });
    invariants.expect(
      textOf(shown.toSorted()) === textOf([...expected].toSorted()),
      `${phase}: the index has ${shown.join()} and not ${[...expected].join()}`,
    );
  };

  /** Compares what the files of spans have, apart from instants at which traces are marked, with the rows: traces have no spans. */
  const compareSpans = async (phase: string): Promise<void> => {
    const marks = (await changes.list(project, day)).filter(({ scoresOnly }) => !scoresOnly);
    const marked = new Set(marks.map(({ startedAt }) => startedAt));
    const parts = (await manifests.get(project, day))?.spans ?? [];
    const paths = filesOfSpans(parts).map(({ key }) => join(folder, "bucket", key));
    const rows =
      paths.length === 0
        ? []
        : await engine.rows(sql`SELECT trace_id, name, input, ${instantText} AS at FROM ${parquetOf(paths)}`);
    const shown = rows
      .filter(({ at: instant }) => !marked.has(parseInstant(String(instant)) ?? ""))
      .map(({ trace_id, name, input }) => textOf(trace_id, name, JSON.parse(String(input))));
    const expected: string[] = [];
    for (const { from, to } of parts)
      await rowScan(database, now).all(
        project,
        { from, to },
        { strongly: true },
        ({ traceId, name, startedAt, facts }) => {
          if (!marked.has(startedAt)) expected.push(textOf(traceId, name, facts?.preview));
        },
      );
    invariants.expect(
      textOf(shown.toSorted()) === textOf(expected.toSorted()),
      `${phase}: the files of spans have ${shown.join()} and not ${expected.join()}`,
    );
  };

  /** Delivers records until the workers have read the streams to their end. */
  const drain = async (): Promise<void> => {
    let deliveries = 0;
    for (const deliver of followers) while ((await deliver()) && deliveries < 2_000) deliveries += 1;
    invariants.expect(deliveries < 2_000, "The streams' workers do not get to their end");
  };

  const startsByTrace = new Map<string, Instant>();
  const pick = <Value>(values: Iterable<Value>): Value | undefined => {
    const list = [...values];
    return list.length === 0 ? undefined : list[order.below(list.length)];
  };
  const save = async (id: string, startedAt: Instant): Promise<void> => {
    const fields = {
      trace_id: id,
      started_at: startedAt,
      name: `trace ${order.below(1_000)}`,
      input: `word${order.below(1_000)}`,
      output: null,
      spans: [],
      tags: [`t${order.below(3)}`],
    };
    await traces.save(project, someTrace({ ...fields, ended_at: instantAt(start + 24 * hour) }));
    startsByTrace.set(id, startedAt);
  };
  const change = async (kind: (typeof operations)[number]): Promise<void> => {
    const trace = pick(startsByTrace);
    if (kind === "save" || trace === undefined) {
      await save(randomUUID(), startOf(order));
      return;
    }
    const [id, startedAt] = trace;
    const score = pick(alive.keys());
    if (kind === "rename") await save(id, startedAt);
    else if (kind === "delete") {
      await deleteTrace(database, project, id);
      startsByTrace.delete(id);
      for (const [scoreId, each] of alive) if (each.trace === id) alive.delete(scoreId);
      // Another incarnation, to which the scores of the earlier one do not belong.
      if (order.chance(0.4)) await save(id, startedAt);
    } else if (kind === "score" || score === undefined) {
      const value = String(order.below(9) / 8);
      const created = { created_at: instantAt(at), updated_at: instantAt(at) };
      const newScore = someScore({ project_id: project, trace_id: id, value, ...created });
      await scoreCreation(database, now).ofTrace(newScore);
      alive.set(newScore.id, { trace: id, startedAt, value });
    } else if (kind === "edit") {
      const value = String(order.below(9) / 8);
      await scoreChanges(database, traceScoreKind).edit(project, score, (before) => ({ ...before, value }));
      alive.set(score, { ...(alive.get(score) ?? { trace: id, startedAt }), value });
    } else if (kind === "unscore") {
      await scoreChanges(database, traceScoreKind).remove(project, score);
      alive.delete(score);
    }
  };

  try {
    for (let saved = 0; saved < 8; saved += 1) await change("save");
    for (let step = 0; step < 80; step += 1) {
      at += order.pick([0, 0, 1_000, 2 * minute, isOpen ? hour / 2 : 6 * minute]);
      if (isOpen && step === 40) {
        await endSlowWriters(() => true);
        at = start + 25 * hour;
        isOpen = false;
      }
      if (await endSlowWriters((since) => at - since > 14 * minute)) {
        await drain();
        await compare(`After a slow writer in step ${step}`);
      }
      const kind = order.pick(operations);
      if (kind !== "write") await change(kind);
      // Traces change, and workers mark them, while a writer or two read the day.
      else {
        if (slowWriters.length < 2) startSlowly();
        const writers = Array.from({ length: order.between(1, 2) }, () => write());
        if (order.chance(0.7)) await change(order.pick(operations));
        for (const deliver of followers) if (order.chance(0.5)) await deliver();
        await Promise.all(writers);
      }
      if (order.chance(0.5)) await followers[order.below(followers.length)]?.();
      if (order.chance(0.2)) {
        const manifest = await manifests.get(project, day);
        if (manifest !== null) filesOf(manifest);
      }
      if (order.chance(0.1)) {
        await drain();
        await compare(`Step ${step}`);
        await compareWords(`Step ${step}`);
        await compareSpans(`Step ${step}`);
      }
    }
    [rates, killRate] = [{}, 0];
    worker = newWorker();
    await endSlowWriters(() => true);
    await drain();
    await compare("End");
    await compareWords("End");
    await compareSpans("End");
    // Without further changes two passes clear all marks: one closes, or has the marks that are too young.
    for (let pass = 0; pass < 6; pass += 1) {
      at += closingMilliseconds;
      await dayWriter(database, objects, engine, folder, now).write(project, day);
    }
    const isIndexed = await dayWriter(database, objects, engine, folder, now).addParts(project, day, Infinity, true);
    invariants.expect(isIndexed, "Parts of the index are missing");
    const marks = await changes.list(project, day);
    invariants.expect(marks.length === 0, `${marks.length} marks stay`);
    await compare("Afterwards");
    await compareWords("Afterwards");
    await compareSpans("Afterwards");
    at += 2 * hour;
    await dayWriter(database, objects, engine, folder, now).sweep(project, day);
    const manifest = await manifests.get(project, day);
    const keys = await Promise.all(
      ["traces", "scores", "words", "spans"].map((table) => objects.list(`${table}/project=${project}/day=${day}/`)),
    );
    const { files = [], words = [], spans } = manifest ?? {};
    const published = [...files.map(({ key }) => key), ...[...words, ...(spans ?? [])].flatMap(keysOfPart)];
    invariants.expect(
      textOf(keys.flat().toSorted()) === textOf(published.toSorted()),
      "Files stay that no manifest names",
    );
  } finally {
    engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { seed, violations: invariants.messages, tally };
};
