/** The main job with the generated TypeScript client: stores a trace, evaluates it, prints the value of its score. */
import { Configuration, RunsApi, ScoresApi, TracesApi } from "./index";

const { ASSAY_URL = "", ASSAY_KEY = "" } = process.env;
const headers = { "X-API-Key": ASSAY_KEY, "X-Project-Name": "default" };
const settings = new Configuration({ basePath: ASSAY_URL, headers });
const now = new Date().toISOString();

const span = { name: "lookup_order", kind: "TOOL", startedAt: now, input: { order: 1042 }, output: "shipped" } as const;
const traceInput = {
  name: "support-agent",
  startedAt: now,
  endedAt: now,
  input: "Where is my order 1042?",
  output: "It arrives tomorrow.",
  spans: [span],
};

const main = async (): Promise<void> => {
  const { traceId } = await new TracesApi(settings).createTrace({ traceInput });
  const runs = new RunsApi(settings);
  let run = await runs.createTraceBatchRun({
    batchEvalRunInput: { traceIds: [traceId], metrics: ["tool_correctness"] },
  });
  while (run.status === "PENDING" || run.status === "RUNNING") {
    await new Promise((resolve) => setTimeout(resolve, 200));
    run = await runs.getTraceRun({ runId: run.id });
  }
  const [score] = await new ScoresApi(settings).getTraceScores({ scoreId: traceId });
  console.log(score?.name, score?.value);
};
void main();
