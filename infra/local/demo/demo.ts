/**
 * `npm run demo`: stores traces of three agents, evaluates them and prints their scores, in the project of the commands that
 * `npm start` prints.
 *
 * Uses the running local service, or starts a temporary one on the same data. Environment variables: `ASSAY_LOCAL_DIR`; for a
 * temporary service also `JUDGE_MODEL`, `EMBEDDING_MODEL`, the variables of the model providers, and `PORT` for the printed URLs.
 */
import { createClient } from "../../../lib/client/client.ts";
import type { TraceScore } from "../../../lib/client/interface.ts";
import { parseCommandLine } from "../../command-line.ts";
import { localDirectory } from "../local-directory.ts";
import { portOf } from "../port.ts";
import { evaluateTraces } from "./evaluate-traces.ts";
import { nextSteps } from "./next-steps.ts";
import { scoreTable } from "./score-table.ts";
import { type DemoService, demoService } from "./service.ts";
import { demoTraces } from "./traces.ts";

/** Stores and evaluates the demo traces and prints the scores. @returns the text with the next steps. */
const runDemo = async (service: DemoService): Promise<string> => {
  const { baseUrl, apiKey, projectName } = service;
  const client = createClient({ baseUrl, credentials: { apiKey, projectName } });
  const tag = `demo-${Date.now()}`;
  const titles = new Map<string, string>();
  for (const { title, trace } of demoTraces(Date.now(), tag)) {
    const { trace_id: id } = await client.createTrace({ body: trace });
    titles.set(id, title);
  }
  console.log(`Stored ${titles.size} traces at ${baseUrl}, project ${projectName}.`);

  const run = await evaluateTraces(client, tag);
  const scores: TraceScore[] = [];
  for await (const score of client.each.listTraceRunScores({ path: { run_id: run.id } })) scores.push(score);
  console.log(scoreTable(titles, scores));
  const errorText = run.error_message === null ? "" : `. ${run.error_message}`;
  console.log(`Run ${run.id}: ${run.status}, judged by ${run.resolved_model}${errorText}`);

  const caller = service.isTemporary ? { ...service, baseUrl: `http://127.0.0.1:${portOf(process.env)}` } : service;
  return nextSteps({ caller, isStopped: service.isTemporary, runId: run.id, tag });
};

const usage =
  "Usage: npm run demo\n\nStores six traces of three agents in the project of the commands that npm start prints, evaluates them, and prints their scores.";

const main = async (): Promise<void> => {
  const { values, positionals } = parseCommandLine({ help: { type: "boolean", short: "h" } });
  if (positionals.length > 0) throw new Error(`There is no argument ${positionals[0]}.\n\n${usage}`);
  if (values.help === true) {
    console.log(usage);
    return;
  }
  const service = await demoService(localDirectory());
  let nextStepsText: string;
  try {
    nextStepsText = await runDemo(service);
  } finally {
    await service.close();
  }
  console.log(nextStepsText);
};

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
