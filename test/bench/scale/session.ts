import { randomUUID } from "node:crypto";
import { sessionDetail } from "../../../lib/store/sessions/detail.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase } from "../../support/database/database.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

const [writers, second] = [16, 1000];
const start = Date.parse("2026-10-01T00:00:00Z");

/** Milliseconds, longer than the minimum age of a segment before its sum is stored. */
const settleMilliseconds = 100_000;

/**
 * Measures a session of `count` traces: its first page before and after its sums are stored, and a page in the middle.
 */
export const benchSession = async (count: number): Promise<void> => {
  const database = await startDatabase();
  const [project, session, traces] = [randomUUID(), "chat", traceStore(database, 0)];
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < count) {
      const at = new Date(start + next * second).toISOString().replace("Z", "000+00:00");
      next += 1;
      await traces.save(project, someTrace({ session_id: session, started_at: at, ended_at: at }));
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  let later = 0;
  const detail = sessionDetail(database, () => Date.now() + later);
  const measure = scaleMeter(database, quantity(count, "traces"));
  const open = async (offset: number): Promise<string> => {
    const sessionDetail = await detail(project, session, 50, offset);
    let pageLength = 0;
    for await (const _ of (await sessionDetail?.read())?.traces ?? []) pageLength += 1;
    return `${pageLength} of ${quantity(sessionDetail?.session.traceCount ?? 0, "traces")}`;
  };
  await measure("a session, opened for the first time", () => open(0));
  later = settleMilliseconds;
  await measure("a session, opened again: sums are kept", () => open(0));
  await measure("a session, opened with them", () => open(0));
  await measure("a session, the page in its middle", () => open(count / 2));
  await database.close();
};
