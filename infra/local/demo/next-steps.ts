import { type Caller, curl } from "../curl.ts";

/** What a demo ended with. */
export interface DemoResult {
  readonly caller: Caller;
  /** Whether the service ended with the demo: its data are kept. */
  readonly isGone: boolean;
  readonly runId: string;
  /** Carried by the demo's traces. */
  readonly tag: string;
}

/** What the demo says at its end: where everything is now, and what to try with it. */
export const nextSteps = ({ caller, isGone, runId, tag }: DemoResult): string => `
Everything is in the project ${caller.projectName}. ${isGone ? "Start the service on the same data with npm start, then look again:" : "Look again:"}

  the run, its counters and what judging cost
    ${curl(caller, `/evaluations/trace-runs/${runId}`)}
  its scores
    ${curl(caller, `/evaluations/trace-runs/${runId}/scores`)}
  the traces
    ${curl(caller, `/traces?tags=${tag}`)}

Then:

  evaluate them with other metrics: GET /evaluations/trace-metrics lists them
  evaluate what arrives from now on, by the day: POST /evaluations/monitors
  read every call with its examples: ${caller.baseUrl}/docs
  let a model judge: JUDGE_MODEL=openai/gpt-5.4-mini OPENAI_API_KEY=sk-... npm start
  try roles as somebody else: npm run -s token -- --email mia@example.com
`;
