import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectFields } from "../../../lib/domain/access/fields.ts";
import { defaultsOf } from "../../../lib/domain/fields.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { IdentifiedSpan } from "../../../lib/domain/traces/input.ts";
import { mergeSpans } from "../../../lib/domain/traces/merge.ts";
import { derivedFields } from "../../../lib/domain/traces/derivation/derived-fields.ts";
import { resourceKey, telemetryKeys, traceIdKey } from "../../../lib/domain/traces/telemetry.ts";
import { endSilentTraces } from "../../../lib/maintenance/end-silent-traces.ts";
import { accessItems } from "../../../lib/store/access/items.ts";
import { projectItems } from "../../../lib/store/access/project-writes.ts";
import { traceSilences } from "../../../lib/store/access/trace-silence.ts";
import { eraseAggregates } from "../../../lib/store/hours/erase.ts";
import { endingMarkers } from "../../../lib/store/traces/silence/ending-markers.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { endBySilence, type EndBySilence } from "../../../lib/store/traces/silence/end-by-silence.ts";
import { traceListReply, traceReply } from "../../../lib/http/traces/reply.ts";
import { markAwaited } from "../../../lib/stream/awaited-traces.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { tableStream, type TableStream } from "../../support/database/table-stream.ts";
import { isOn, pauseAt } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";

let database: TestDatabase;
let stream: TableStream;
beforeAll(async () => {
  database = await startDatabase({ streams: true });
  stream = await tableStream(database, "rows");
});
afterAll(() => database.close());

const minute = 60_000;
const start = Date.parse("2026-10-01T10:00:00Z");
const second = (count: number): string => instantAt(start + count * 1000);

type SentSpan = Partial<IdentifiedSpan> & { readonly span_id: string };

const spanWith = (fields: SentSpan): IdentifiedSpan => ({
  name: fields.span_id,
  kind: "CHAIN",
  parent_span_id: "root",
  started_at: second(0),
  ended_at: second(4),
  metadata: { [telemetryKeys.resource]: "r" },
  ...fields,
});

/** A project at a set clock, with the stream's worker and the sweeper. */
const world = async (settings: { readonly trace_silence?: number } = {}) => {
  const [project, clock] = [randomUUID(), { now: start }];
  const fields = { ...defaultsOf(projectFields), ...settings, name: project, organizationId: randomUUID() };
  await accessItems(database).write(projectItems({ ...fields, id: project, createdAt: second(0) }));
  const now = (): number => clock.now;
  const store = traceStore(database, 0, now);
  const markers = endingMarkers(database);
  const silenceOf = traceSilences(database, now);
  const follow = markAwaited(markers, silenceOf, now);
  return {
    project,
    clock,
    store,
    /** Sends spans and lets the stream's worker follow. */
    send: async (trace: string, ...spans: readonly SentSpan[]) => {
      const metadata = { [traceIdKey]: "t", [resourceKey("r")]: {} };
      const sent = spans.map((span) => spanWith(span));
      const derived = derivedFields(mergeSpans([], sent), metadata);
      if (derived === null) throw new Error("There are no spans.");
      await store.save(project, { ...derived, trace_id: trace, metadata, spans: sent }, "telemetry");
      await follow(await stream());
    },
    sweep: async (end: EndBySilence = endBySilence(database, now)) =>
      endSilentTraces({ markers, end, silenceOf, now }, 1_000),
    read: async (trace: string) => {
      const stored = await traceReader(database, now).get(project, trace);
      if (stored === null) throw new Error("The trace is gone.");
      expect(await rowFaults(database, project, trace)).toEqual([]);
      return stored;
    },
    marked: async () => {
      let count = 0;
      for await (const marker of markers.due()) if (marker.project === project) count += 1;
      return count;
    },
  };
};

test("a trace without a top span ends after a silence, and a later span opens it again", async () => {
  const { project, clock, send, sweep, read, marked } = await world();
  const id = randomUUID();
  await send(id, { span_id: "a", input: "q", output: "a" });
  clock.now += 9 * minute;
  await send(id, { span_id: "b", started_at: second(1), ended_at: second(500), parent_span_id: "a" });
  expect(await marked()).toBe(1);

  clock.now += 9 * minute;
  await sweep();
  const running = await read(id);
  clock.now += 2 * minute;
  await sweep();
  const ended = await read(id);
  await sweep();
  clock.now += minute;
  await send(id, { span_id: "c", started_at: second(600), ended_at: null });
  const reopened = await read(id);
  expect(await marked()).toBe(1);
  clock.now += 11 * minute;
  await sweep();
  const again = await read(id);

  expect(running).toMatchObject({ trace: { status: "RUNNING", ended_at: null, output: "a" }, row: { version: 2 } });
  expect(traceReply(project, ended.trace)).toMatchObject({
    status: "COMPLETED",
    ended_at: second(500),
    ended_by: "silence",
    output: "a",
  });
  expect(ended.row).toMatchObject({ version: 3, contentVersion: 2, changedAt: start + 20 * minute });
  expect(traceListReply({ ...ended.row, latency: 0 })).toMatchObject({ status: "COMPLETED", ended_by: "silence" });
  expect(traceReply(project, reopened.trace)).not.toHaveProperty("ended_by");
  expect(reopened).toMatchObject({ trace: { status: "RUNNING", ended_at: null }, row: { contentVersion: 4 } });
  expect(again.trace).toMatchObject({ status: "COMPLETED", ended_at: second(600), ended_by: "silence" });
  expect(await marked()).toBe(0);
});

test("a trace that ended by silence has failed if a span without a stored parent has", async () => {
  const { clock, send, sweep, read } = await world({ trace_silence: 60 });
  const [failed, inner] = [randomUUID(), randomUUID()];
  await send(failed, { span_id: "a", status: "ERROR" }, { span_id: "b", started_at: second(1), parent_span_id: "a" });
  await send(
    inner,
    { span_id: "a", status: "OK" },
    { span_id: "b", started_at: second(1), status: "ERROR", parent_span_id: "a" },
  );
  clock.now += 2 * minute;

  await sweep();

  expect((await read(failed)).row.status).toBe("ERROR");
  expect((await read(inner)).row.status).toBe("COMPLETED");
});

test("a trace whose top span arrives, or to which a client gives an end, awaits no silence", async () => {
  const { project, clock, store, send, sweep, read, marked } = await world();
  const [complete, patched] = [randomUUID(), randomUUID()];
  for (const id of [complete, patched]) await send(id, { span_id: "a" });
  await send(complete, { span_id: "root", parent_span_id: null, ended_at: null });
  await store.change(project, patched, { kind: "trace-patch", update: { status: "ERROR" } });
  clock.now += 11 * minute;

  await sweep();

  expect((await read(complete)).trace).toMatchObject({ status: "RUNNING", ended_at: null });
  expect((await read(patched)).trace).toMatchObject({ status: "ERROR", ended_at: null });
  expect(await marked()).toBe(0);
});

test("a client's change of an ended trace keeps its end, and its own values win", async () => {
  const { project, clock, store, send, sweep, read } = await world();
  const id = randomUUID();
  await send(id, { span_id: "a" });
  clock.now += 11 * minute;
  await sweep();

  await store.change(project, id, { kind: "trace-patch", update: { user_id: "u-1" } });
  const named = await read(id);
  await store.change(project, id, { kind: "trace-patch", update: { status: "ERROR" } });

  expect(named.trace).toMatchObject({ user_id: "u-1", status: "COMPLETED", ended_at: second(4), ended_by: "silence" });
  expect((await read(id)).trace).toMatchObject({ user_id: "u-1", status: "ERROR", ended_at: second(4) });
});

test("what is due stays marked until it is decided, whatever fails, and after an outage", async () => {
  const { project, clock, send, sweep, read, marked } = await world();
  const [first, removed, late] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [first, removed, late]) {
    await send(id, { span_id: "a" });
    clock.now += 3 * minute;
  }
  await traceRemoval(database).remove(project, removed);
  clock.now += 24 * 60 * minute;
  const failing = sweep(() => Promise.reject(new Error("The database is away.")));
  await expect(failing).rejects.toThrow("Traces that could not be ended");
  expect(await marked()).toBe(3);

  // A span arrives while the sweeper decides about its trace.
  const gate = pauseAt(isOn("PutItem", "rows"));
  const slow = endBySilence(faultyDatabase(database, gate.decide), () => clock.now);
  const sweeping = sweep((of, trace, silence) =>
    (trace === late ? slow : endBySilence(database, () => clock.now))(of, trace, silence),
  );
  await gate.reached;
  await send(late, { span_id: "b", started_at: second(1) });
  gate.open();
  await sweeping;

  expect((await read(first)).row.ending).toBe("silence");
  expect((await read(late)).row).toMatchObject({ ending: "awaited", spanCount: 2 });
  expect(await marked()).toBe(1);
  clock.now += 11 * minute;
  await sweep();
  expect((await read(late)).row.ending).toBe("silence");
});

test("a project's deletion removes its markers only", async () => {
  const [mine, other] = [await world(), await world()];
  for (const each of [mine, other]) await each.send(randomUUID(), { span_id: "a" });

  for await (const _ of eraseAggregates(database)(mine.project));

  expect([await mine.marked(), await other.marked()]).toEqual([0, 1]);
});

test("an end by silence writes the row once and nothing else but its marker", async () => {
  const separate = await startDatabase();
  try {
    const takeCapacity = countCapacity(separate);
    const [project, id, now] = [randomUUID(), randomUUID(), start];
    const spans = [{ span_id: "a", name: "a", parent_span_id: "root", started_at: second(0) }];
    await traceStore(separate, 0, () => now).save(project, {
      trace_id: id,
      name: "a",
      status: "RUNNING",
      started_at: second(0),
      metadata: { [traceIdKey]: "t" },
      spans,
    });
    takeCapacity();

    expect(await endBySilence(separate, () => now + minute)(project, id, minute)).toBeNull();

    expect(takeCapacity().write).toBeLessThanOrEqual(2);
    expect((await traceReader(separate).get(project, id))?.row.ending).toBe("silence");
  } finally {
    await separate.close();
  }
});
