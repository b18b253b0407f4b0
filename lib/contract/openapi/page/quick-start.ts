import { createApiKey } from "../../access/api-keys.ts";
import { exportTraces } from "../../otlp/export-traces.ts";
import type { Route } from "../../route.ts";
import { createTraceBatchRun, createTraceRun } from "../../runs/trace-runs.ts";
import { listTraceMetrics } from "../../metrics/metric-lists.ts";
import type { EvalRun } from "../../runs/run.ts";
import { getTraceScores } from "../../scores/trace-scores.ts";
import { createTrace } from "../../traces/traces.ts";
import { exampleOf } from "../example.ts";
import { resolve, type OpenApiDocument } from "../openapi.ts";
import { callOf, curlOf, shellWord, type SampleInput } from "./curl.ts";
import { codeBlock, html, jsonBlock, prose, type Html } from "./html.ts";

/** Trace id used in all three steps. It is fixed, so that repeating a step creates no second trace. */
const traceId = "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";

interface Step {
  readonly title: string;
  readonly route: Route;
  readonly input: SampleInput;
  readonly before: string;
  readonly after: Html;
  /** Fields in which the reply to this step differs from the example of its schema. */
  readonly reply?: Readonly<Record<string, unknown>>;
}

/** Fields of a run of one trace right after its creation. */
const newRun = {
  name: null,
  status: "PENDING",
  filters: {},
  sampling_rate: 1,
  total_traces: 1,
  total_targets: 1,
  resolved_model: "offline/rules",
  evaluated_count: 0,
  judge_usage: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_usd: 0, unreported_usd: 0 },
  cost_by_metric: { task_completion: 0, tool_correctness: 0 },
  completed_at: null,
} satisfies Partial<EvalRun>;

const linkTo = ({ id, method, path }: Route): Html => html`<a href="#${id}"><code>${method} ${path}</code></a>`;

const steps: readonly Step[] = [
  {
    title: "Store a trace",
    route: createTrace,
    input: { body: { trace_id: traceId } },
    before:
      "A trace has the input and output of an agent and its steps as spans. It is stored durably before the reply.",
    after: html`Agents with OpenTelemetry need no such call: see ${linkTo(exportTraces)}.`,
  },
  {
    title: "Evaluate the trace",
    route: createTraceBatchRun,
    input: { body: { trace_ids: [traceId] } },
    before: "A run evaluates each metric with a judge, a language model. It continues in the background.",
    after: html`${linkTo(listTraceMetrics)} lists the metrics; ${linkTo(createTraceRun)} evaluates all traces that match
    filters.`,
    reply: newRun,
  },
  {
    title: "Get the scores",
    route: getTraceScores,
    input: { params: { score_id: traceId } },
    before:
      "Each score has a reason. The list is empty until the judge has replied: repeat the call after a second or two.",
    after: html`The table of contents lists all operations by resource.`,
    // Result of the offline judge of `npm start` for the trace of the first step.
    reply: {
      reason:
        "offline/rules: 1 tool call, 0 failed, 0 repeated an earlier call. Rules look at failures and repetitions only; they do " +
        'not know which tools the task needed. (all_right, by "serving", "necessary", "mostly_fitting", "helpful", "lean": yes.)',
      metadata: { model: "offline/rules", coverage: { ratio: 1 }, level: "all_right", threshold: 0.5, success: null },
      evidence: [{ span_id: "9f1d6a52-0c0b-4d7e-a7a4-5b8f0e3c2d14", quote: null }],
      evidence_dropped: 0,
      environment: null,
    },
  },
];

const exampleReply = (document: OpenApiDocument, { route, reply: fields = {} }: Step): unknown => {
  const reply = callOf(document, route).operation.responses[route.success];
  const media = reply && resolve(document.components.responses, reply).content?.["application/json"];
  const example = media?.example ?? exampleOf(document, media?.schema ?? {});
  const withFields = (value: object): object => ({ ...value, ...fields });
  return Array.isArray(example) ? example.map(withFields) : Object.assign({}, example, fields);
};

const stepItem = (document: OpenApiDocument, step: Step): Html => {
  const { title, route, input, before, after } = step;
  return html` <li>
    <h3>${title}</h3>
    <p>${before}</p>
    ${codeBlock(curlOf(document, callOf(document, route), input))}
    <details>
      <summary>Reply</summary>
      ${jsonBlock(exampleReply(document, step))}
    </details>
    <p>${after}</p>
  </li>`;
};

/**
 * Builds the quick start: three curl commands that store a trace, evaluate it and get its scores.
 *
 * @returns a function that renders the section with the URL of the service.
 */
export const quickStart = (document: OpenApiDocument): ((serviceUrl: string) => Html) => {
  const items = steps.map((step) => stepItem(document, step));
  return (serviceUrl) =>
    html`<section id="start">
      <h2>Quick start</h2>
      <p>
        ${prose("The calls need an API key. `npm start` prints one; for a deployed service `npm run create-key` creates the first,")}
        and ${linkTo(createApiKey)} creates more. Replace the dots by the key; the URL is that of this page.
      </p>
      ${codeBlock(`ASSAY=${shellWord(serviceUrl)}\nKEY='sk_as_...'`)}
      <ol>
        ${items}
      </ol>
    </section>`;
};
