/**
 * `npm run demo`: traces of three agents, a run and its scores, in the project that the calls printed by `npm start` use.
 *
 * Speaks to the running service; without one it starts the service on the same data for as long as it takes. Environment:
 * `ASSAY_LOCAL_DIR`, and for a service of its own `JUDGE_MODEL`, `EMBEDDING_MODEL` and the providers' variables; `PORT` of
 * the next `npm start`.
 */
import * as v from "valibot";
import { traceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { localDirectory } from "../local-directory.ts";
import { portOf } from "../port.ts";
import { callAs } from "./call.ts";
import { judgedRun } from "./judged-run.ts";
import { nextSteps } from "./next-steps.ts";
import { scoreTable } from "./score-table.ts";
import { type DemoService, demoService } from "./service.ts";
import { demoTraces } from "./traces.ts";

/** @returns what to do next. */
const demo = async (service: DemoService): Promise<string> => {
  const call = callAs(service);
  const tag = `demo-${Date.now()}`;
  const titles = new Map<string, string>();
  for (const { title, trace } of demoTraces(Date.now(), tag)) {
    const { trace_id: id } = v.parse(v.object({ trace_id: v.string() }), await call("/traces", trace));
    titles.set(id, title);
  }
  console.log(`Sent ${titles.size} traces to ${service.baseUrl}, project ${service.projectName}.`);

  const run = await judgedRun(call, tag);
  const scores = v.parse(v.array(traceScore), await call(`/evaluations/trace-runs/${run.id}/scores`));
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
