import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { documentOfTrace } from "../../../lib/http/traces/trace-document.ts";
import { sessionDetail } from "../../../lib/store/sessions/detail.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** What does not get smaller when it is compressed. */
const noise = (): string => Array.from({ length: 2_000 }, () => randomUUID()).join("");

test("who asks whether a large trace, or its session, has changed reads no document", async () => {
  const watched = watchedDatabase(database);
  const spent = countCapacity(watched);
  const project = { id: randomUUID() };
  const trace = someTrace({ session_id: "s", input: noise(), output: noise() });
  await traceStore(database, 0).save(project.id, trace);
  const asked = { project, params: { trace_id: trace.trace_id } };
  const form = { name: ["all"], missing: "none", of: ({ trace: { name } }: { trace: { name: string } }) => name };
  const read = async (isConditional: boolean) => {
    spent();
    const found = await documentOfTrace({ ...asked, isConditional }, traceReader(watched), form);
    return { identity: found.identity, found, units: spent().read };
  };

  const [whole, conditional] = [await read(false), await read(true)];
  const session = await sessionDetail(watched)(project.id, "s", 10, 0);
  const ofSession = spent().read;

  expect(conditional.identity).toEqual(whole.identity);
  expect(await conditional.found.read()).toBe(await whole.found.read());
  expect(whole.units).toBeGreaterThan(20);
  expect(conditional.units).toBeLessThanOrEqual(5);
  expect(ofSession).toBeLessThanOrEqual(5);
  expect(session?.page.map(({ id, version }) => [id, version])).toEqual([[trace.trace_id, whole.identity[3]]]);
});
