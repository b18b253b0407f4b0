/**
 * `npm run demo`: traces of three agents, a run and its scores, in the project that the calls printed by `npm start` use.
 *
 * Speaks to the running service; without one it starts the service on the same data for as long as it takes. Environment:
 * `ASSAY_LOCAL_DIR`, and for a service of its own `JUDGE_MODEL`, `EMBEDDING_MODEL` and the providers' variables; `PORT` of
 * the next `npm start`.
 */
import { createClient } from "../../../lib/client/client.ts";
import type { TraceScore } from "../../../lib/client/interface.ts";
import { localDirectory } from "../local-directory.ts";
import { portOf } from "../port.ts";
import { judgedRun } from "./judged-run.ts";
import { nextSteps } from "./next-steps.ts";
import { scoreTable } from "./score-table.ts";
import { type DemoService, demoService } from "./service.ts";
import { demoTraces } from "./traces.ts";

/** @returns what to do next. */
const demo = async (service: DemoService): Promise<string> => {
  const { baseUrl, apiKey, projectName } = service;
  const client = createClient({ baseUrl, credentials: { apiKey, projectName } });
  const tag = `demo-${Date.now()}`;
  const titles = new Map<string, string>();
  for (const { title, trace } of demoTraces(Date.now(), tag)) {
    const { trace_id: id } = await client.createTrace({ body: trace });
    titles.set(id, title);
  }
  console.log(`Sent ${titles.size} traces to ${baseUrl}, project ${projectName}.`);

  const run = await judgedRun(client, tag);
  const scores: TraceScore[] = [];
  for await (const score of client.each.listTraceRunScores({ path: { run_id: run.id } })) scores.push(score);
  console.log(scoreTable(titles, scores));
  const trouble = run.error_message === null ? "" : `. ${run.error_message}`;
  console.log(`Run ${run.id}: ${run.status}, judged by ${run.resolved_model}${trouble}`);

  const caller = service.isOwn ? { ...service, baseUrl: `http://127.0.0.1:${portOf(process.env)}` } : service;
  return nextSteps({ caller, isGone: service.isOwn, runId: run.id, tag });
};

const main = async (): Promise<void> => {
  const service = await demoService(localDirectory());
  let next: string;
  try {
    next = await demo(service);
  } finally {
    await service.close();
  }
  console.log(next);
};

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
