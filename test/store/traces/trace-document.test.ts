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

/** Random text that compression hardly shortens. */
const longText = (): string => Array.from({ length: 2_000 }, () => randomUUID()).join("");

test("a conditional request of a large trace or its session reads no document", async () => {
  const watched = watchedDatabase(database);
  const takeCapacity = countCapacity(watched);
  const project = { id: randomUUID() };
  const trace = someTrace({ session_id: "s", input: longText(), output: longText() });
  await traceStore(database, 0).save(project.id, trace);
  const request = { project, params: { trace_id: trace.trace_id } };
  const form = {
    name: ["all"],
    notFoundDetail: "none",
    render: ({ trace: { name } }: { trace: { name: string } }) => name,
  };
  const readIdentity = async (hasIfNoneMatch: boolean) => {
    takeCapacity();
    const document = await documentOfTrace({ ...request, hasIfNoneMatch }, traceReader(watched), form);
    return { identity: document.identity, document, units: takeCapacity().read };
  };

  const [complete, conditional] = [await readIdentity(false), await readIdentity(true)];
  const session = await sessionDetail(watched)(project.id, "s", 10, 0);
  const ofSession = takeCapacity().read;

  expect(conditional.identity).toEqual(complete.identity);
  expect(await conditional.document.compute()).toBe(await complete.document.compute());
  expect(complete.units).toBeGreaterThan(20);
  expect(conditional.units).toBeLessThanOrEqual(5);
  expect(ofSession).toBeLessThanOrEqual(5);
  expect(session?.page.map(({ id, version }) => [id, version])).toEqual([[trace.trace_id, complete.identity[3]]]);
});
