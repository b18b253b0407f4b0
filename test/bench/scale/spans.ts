import { randomUUID } from "node:crypto";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { startDatabase } from "../../support/database/database.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

const exporters = 20;
const spansAtATime = 10;

const someSpans = () =>
  Array.from({ length: spansAtATime }, (_, index) => ({
    span_id: randomUUID(),
    name: `step ${index}`,
    started_at: "2026-10-01T10:00:00+00:00",
    input: "What is the weather like in a town whose name is rather long?",
    model: "gpt-5.4-mini",
    token_usage: { prompt_tokens: 100, completion_tokens: 10 },
  }));

/** Measures a trace that grows by ten spans at a time from twenty concurrent exporters, which retry when asked to. */
export const benchSpans = async (spans: number): Promise<void> => {
  const database = await startDatabase();
  const measure = scaleMeter(database, quantity(spans, "spans"));
  const [project, trace] = [randomUUID(), someTrace()];
  const traces = traceStore(database, 0);
  await traces.save(project, trace);
  let [remainingRequests, refusedRequests] = [spans / spansAtATime, 0];
  const append = async (): Promise<void> => {
    try {
      await traces.addSpans(project, trace.trace_id, someSpans());
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason.kind !== "unavailable") throw error;
      refusedRequests += 1;
      await append();
    }
  };
  const exporter = async (): Promise<void> => {
    while (remainingRequests > 0) {
      remainingRequests -= 1;
      await append();
    }
  };
  await measure(`a trace from ${exporters} exporters, ${spansAtATime} spans a request`, async () => {
    await Promise.all(Array.from({ length: exporters }, exporter));
    return `${refusedRequests} refused`;
  });
  await measure("another ten spans", () => append());
  await measure("its detail", async () => {
    const storedTrace = await traceReader(database).get(project, trace.trace_id);
    return quantity(storedTrace?.trace.spans.length ?? 0, "spans");
  });
  await database.close();
};
