import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

/** Mean latency of a call to DynamoDB in milliseconds; each call takes between half and one and a half of it. */
const latency = 5;

/** Measures `spans` spans sent to one trace in separate requests, from one writer and from several concurrent ones. */
export const benchWriters = async (spans: number): Promise<void> => {
  const database = await startDatabase();
  const random = seeded(1);
  database.client.middlewareStack.add(
    (next) => async (request) => {
      await wait((latency * random.between(50, 150)) / 100);
      return await next(request);
    },
    { step: "finalizeRequest", name: "way", priority: "low" },
  );
  const measure = scaleMeter(database, quantity(spans, "spans"));
  const traces = traceStore(database, 0);
  const span = { name: "step", started_at: "2026-10-01T10:00:00+00:00", input: "What is the weather like?" };
  for (const writers of [1, 8, 20, 100]) {
    const [project, trace] = [randomUUID(), someTrace()];
    await traces.save(project, trace);
    let [remainingSpans, refusedRequests] = [spans, 0];
    const write = async (): Promise<void> => {
      while (remainingSpans > 0) {
        remainingSpans -= 1;
        await traces
          .addSpans(project, trace.trace_id, [{ ...span, span_id: randomUUID() }])
          .catch(() => (refusedRequests += 1));
      }
    };
    await measure(`a span a request, from ${writers} writers, ${latency} ms a call`, async () => {
      await Promise.all(Array.from({ length: writers }, write));
      return `${refusedRequests} refused`;
    });
  }
  await database.close();
};
