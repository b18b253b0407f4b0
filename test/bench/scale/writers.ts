import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { counted, scaleMeter } from "./scale-meter.ts";

/** Milliseconds that a call to DynamoDB takes on its way, from half of it to one and a half. */
const way = 5;

/** So many spans that come to one trace in a request each, from one writer and from several at once. */
export const benchWriters = async (spans: number): Promise<void> => {
  const database = await startDatabase();
  const random = seeded(1);
  database.client.middlewareStack.add(
    (next) => async (sent) => {
      await wait((way * random.between(50, 150)) / 100);
      return await next(sent);
    },
    { step: "finalizeRequest", name: "way", priority: "low" },
  );
  const measure = scaleMeter(database, counted(spans, "spans"));
  const traces = traceStore(database, 0);
  const span = { name: "step", started_at: "2026-10-01T10:00:00+00:00", input: "What is the weather like?" };
  for (const writers of [1, 8, 20, 100]) {
    const [project, trace] = [randomUUID(), someTrace()];
    await traces.save(project, trace);
    let [left, refused] = [spans, 0];
    const write = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await traces
          .addSpans(project, trace.trace_id, [{ ...span, span_id: randomUUID() }])
          .catch(() => (refused += 1));
      }
    };
    await measure(`a span a request, from ${writers} writers, ${way} ms a call`, async () => {
      await Promise.all(Array.from({ length: writers }, write));
      return `${refused} refused`;
    });
  }
  await database.close();
};
