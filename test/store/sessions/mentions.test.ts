import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IdentifiedSpan } from "../../../lib/domain/traces/input.ts";
import { mergeSpans } from "../../../lib/domain/traces/merge.ts";
import { derivedFields } from "../../../lib/domain/traces/derivation/derived-fields.ts";
import { resourceKey, telemetryKeys, traceIdKey } from "../../../lib/domain/traces/telemetry.ts";
import { sessionDetail } from "../../../lib/store/sessions/detail.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const second = (count: number): string => `2026-10-01T10:00:${String(count).padStart(2, "0")}+00:00`;

/** A turn of a conversation: a span without a parent, or with one. */
const turn = (start: number, session: string | null, parent: string | null = null): IdentifiedSpan => ({
  span_id: randomUUID(),
  name: "turn",
  parent_span_id: parent,
  started_at: second(start),
  ended_at: second(start + 1),
  metadata: { [telemetryKeys.resource]: "r", ...(session !== null && { [telemetryKeys.session]: session }) },
});

const world = () => {
  const [project, id, watched] = [randomUUID(), randomUUID(), watchedDatabase(database)];
  const store = traceStore(watched, 0);
  return {
    project,
    id,
    rowWrites: () => watched.calls.filter(isOn("PutItem", "rows")).length,
    send: async (...spans: readonly IdentifiedSpan[]) => {
      const metadata = { [traceIdKey]: "t", [resourceKey("r")]: {} };
      const derived = derivedFields(mergeSpans([], spans), metadata);
      if (derived === null) throw new Error("There are no spans.");
      await store.save(project, { ...derived, trace_id: id, metadata, spans }, "telemetry");
    },
    /** Number of the session's traces, and the traces that it shares; null if there is none. */
    read: async (session: string) => {
      const detail = await sessionDetail(database)(project, session, 10, 0);
      if (detail === null) return null;
      const traces = await detail.read();
      if (traces === null) return null;
      return [detail.session.traceCount, detail.sharedTraces];
    },
  };
};

test("a trace with spans of two sessions belongs to the first, and the second names it", async () => {
  const together = world();
  await together.send(turn(0, "one"), turn(5, "two"));
  const late = world();
  await late.send(turn(0, "one"));
  await late.send(turn(5, "two"));

  for (const { id, read } of [together, late]) {
    expect(await read("one")).toEqual([1, []]);
    expect(await read("two")).toEqual([0, [id]]);
    expect(await read("three")).toBeNull();
  }
});

test("a session that loses its trace to an earlier turn names it, also when the document was read", async () => {
  for (const repeated of [[], [turn(5, "two")]]) {
    const { id, send, read } = world();
    await send(turn(5, "two"), ...repeated);
    await send(turn(0, "one"), ...repeated);

    expect(await read("one")).toEqual([1, []]);
    expect(await read("two")).toEqual([0, [id]]);
  }
});

test("a trace that a client moves to its second session, and a deleted one, is named no more", async () => {
  const { project, id, send, read } = world();
  await send(turn(0, "one"), turn(5, "two"));

  await traceStore(database, 0).change(project, id, { kind: "trace-patch", update: { session_id: "two" } });
  expect(await read("two")).toEqual([1, []]);
  await traceRemoval(database).remove(project, id);

  expect(await read("two")).toBeNull();
});

test("a trace of one session writes its row and nothing else, and of many sessions it names sixteen", async () => {
  const [single, many] = [world(), world()];
  await single.send(turn(0, "one"), turn(5, "one"), turn(6, null));
  await single.send(turn(8, "one"));
  await many.send(...Array.from({ length: 40 }, (_, index) => turn(index, `s${index}`)));

  expect(single.rowWrites()).toBe(2);
  expect(many.rowWrites()).toBe(17);
  expect(await many.read("s16")).toEqual([0, [many.id]]);
  expect(await many.read("s17")).toBeNull();
});
