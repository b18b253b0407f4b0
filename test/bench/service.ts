import { randomUUID } from "node:crypto";
import type { IdentifiedTrace } from "../../lib/domain/merge-trace.ts";
import { caller } from "../model/caller.ts";
import { startService } from "../support/service.ts";
import { figureTable, type Figure } from "./figures.ts";

const [rounds, requests, lanes] = [5, 300, 16];

/** Prints how many traces a second the whole service on this machine takes in, gateway and functions included. */
export const benchService = async (sample: readonly IdentifiedTrace[]): Promise<void> => {
  const service = await startService({ limitFactor: 1000 });
  const credentials = { "X-API-Key": service.tenant.apiKey, "X-Project-Name": "bench" };
  const call = caller(service.baseUrl, credentials);
  const bodies = Array.from({ length: requests }, (_, index) => sample[index % sample.length]);
  const round = async (): Promise<{ readonly perSecond: number; readonly times: readonly number[] }> => {
    const [queue, times] = [bodies.values(), new Array<number>()];
    const lane = async (): Promise<void> => {
      for (const trace of queue) {
        const body = JSON.stringify({ ...trace, trace_id: randomUUID() });
        const from = performance.now();
        const { status } = await call("POST", "/traces", { body });
        if (status !== 202) throw new Error(`A trace was answered ${status}.`);
        times.push(performance.now() - from);
      }
    };
    const begun = performance.now();
    await Promise.all(Array.from({ length: lanes }, lane));
    return { perSecond: (requests * 1000) / (performance.now() - begun), times };
  };
  await round();
  const done = [];
  for (let count = 0; count < rounds; count += 1) done.push(await round());
  const figure: Figure = {
    name: `POST /traces, ${lanes} clients at once`,
    values: done.map(({ perSecond }) => perSecond),
    times: done.flatMap(({ times }) => times),
    aim: 200,
  };
  console.log(figureTable("requests/s", [figure]));
  await service.close();
};
