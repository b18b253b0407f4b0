import { randomUUID } from "node:crypto";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { caller } from "../model/caller.ts";
import { startDatabase } from "../support/database/database.ts";
import { startService } from "../support/service/service.ts";
import { figureTable, type Figure } from "./figures.ts";

const [rounds, requests, lanes] = [5, 200, 16];

/** Ingested traces per second, over some rounds after a warm-up. */
const ingestRate = async (
  name: string,
  sample: readonly IdentifiedTrace[],
  ingest: (trace: IdentifiedTrace) => Promise<void>,
): Promise<Figure> => {
  const [values, times]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const queue = Array.from({ length: requests }, (_, index) => sample[index % sample.length]).values();
    const lane = async (): Promise<void> => {
      for (const trace of queue) {
        if (trace === undefined) throw new Error("There are no traces to measure with.");
        const from = performance.now();
        await ingest({ ...trace, trace_id: randomUUID() });
        if (round > 0) times.push(performance.now() - from);
      }
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: lanes }, lane));
    if (round > 0) values.push((requests * 1000) / (performance.now() - startedAt));
  }
  return { name, values, times, aim: 200 };
};

/** Prints the ingestion rate in traces per second of one process, and of the whole local service with its gateway. */
export const benchIngest = async (sample: readonly IdentifiedTrace[]): Promise<void> => {
  const database = await startDatabase();
  const [traces, project] = [traceStore(database, 0), randomUUID()];
  const alone = await ingestRate(`one process and the database, ${lanes} at a time`, sample, (trace) =>
    traces.save(project, trace),
  );
  await database.close();

  const service = await startService({ sharedThreads: false, limitFactor: 300 });
  const credentials = { "X-API-Key": service.tenant.apiKey, "X-Project-Name": "bench" };
  const call = caller(service.baseUrl, credentials);
  const serviceRate = await ingestRate(`POST /traces, ${lanes} clients at once`, sample, async (trace) => {
    const { status } = await call("POST", "/traces", { body: JSON.stringify(trace) });
    if (status !== 202) throw new Error(`A trace was answered ${status}.`);
  });
  await service.close();
  console.log(figureTable("traces/s", [alone, serviceRate]));
};
