import { type Caller, curl } from "../curl.ts";

/** Result of a demo: the run, and the service that has its scores. */
export interface DemoResult {
  readonly caller: Caller;
  /** True if the demo used a temporary service, which is stopped by now; its data remain. */
  readonly isStopped: boolean;
  readonly runId: string;
  /** Tag of all traces of this demo. */
  readonly tag: string;
}

/** Formats the last text of the demo: commands that read the results, and suggestions for further steps. */
export const nextSteps = ({ caller, isStopped, runId, tag }: DemoResult): string => `
All results are in the project ${caller.projectName}. ${isStopped ? "Start the service on the same data with npm start, then read the results:" : "Read the results:"}

  the run with its counters and its judge cost
    ${curl(caller, `/evaluations/trace-runs/${runId}`)}
  its scores
    ${curl(caller, `/evaluations/trace-runs/${runId}/scores`)}
  the traces
    ${curl(caller, `/traces?tags=${tag}`)}

Then:

  evaluate the traces with other metrics: GET /evaluations/trace-metrics lists all metrics
  evaluate new traces on a schedule: POST /evaluations/monitors
  read the API documentation with examples: ${caller.baseUrl}/docs
  use a model as the judge: JUDGE_MODEL=openai/gpt-6-luna OPENAI_API_KEY=sk-... npm start
  test roles as another user: npm run -s token -- --email mia@example.com
`;
