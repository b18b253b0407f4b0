import { createApiKey } from "../../access/api-keys.ts";
import { exportTraces } from "../../otlp/export-traces.ts";
import type { Route } from "../../route.ts";
import { createTraceBatchRun, createTraceRun } from "../../runs/trace-runs.ts";
import { listTraceMetrics } from "../../metrics/trace-metrics.ts";
import type { EvalRun } from "../../runs/run.ts";
import { getTraceScores } from "../../scores/trace-scores.ts";
import { createTrace } from "../../traces/traces.ts";
import { exampleOf } from "../example.ts";
import { resolve, type OpenApiDocument } from "../openapi.ts";
import { callOf, curlOf, shellWord, type Given } from "./curl.ts";
import { codeBlock, html, jsonBlock, prose, type Html } from "./html.ts";

/** The trace of all three steps. Named by its sender, it stays one however often a step is repeated. */
const traceId = "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";

interface Step {
  readonly title: string;
  readonly route: Route;
  readonly given: Given;
  readonly before: string;
  readonly after: Html;
  /** Where the reply to this call differs from the example of its schema. */
  readonly reply?: Readonly<Record<string, unknown>>;
}

/** A run of one trace that has just begun. */
const begun = {
  name: null,
  status: "PENDING",
  filters: {},
  sampling_rate: 1,
  total_traces: 1,
  total_targets: 1,
  evaluated_count: 0,
  judge_usage: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_usd: 0 },
  completed_at: null,
} satisfies Partial<EvalRun>;

const linkTo = ({ id, method, path }: Route): Html => html`<a href="#${id}"><code>${method} ${path}</code></a>`;

const steps: readonly Step[] = [
  {
    title: "Store a trace",
    route: createTrace,
    given: { body: { trace_id: traceId } },
    before:
      "What an agent was asked, what it answered, and what it did in between. It is stored for good before the reply.",
    after: html`An agent with OpenTelemetry needs no code for this: see ${linkTo(exportTraces)}.`,
  },
  {
    title: "Evaluate it",
    route: createTraceBatchRun,
    given: { body: { trace_ids: [traceId] } },
    before: "A run asks the judge, a language model, one question for each metric. It goes on in the background.",
    after: html`${linkTo(listTraceMetrics)} lists the metrics; ${linkTo(createTraceRun)} evaluates all that filters
    match.`,
    reply: begun,
  },
  {
    title: "Read its scores",
    route: getTraceScores,
    given: { params: { score_id: traceId } },
    before: "Each with its reason. The list is empty until the judge has answered: ask again after a second or two.",
    after: html`Everything else that can be asked is below, by resource.`,
    reply: { environment: null },
  },
];

const exampleReply = (document: OpenApiDocument, { route, reply: fields = {} }: Step): unknown => {
  const reply = callOf(document, route).operation.responses[route.success];
  const media = reply && resolve(document.components.responses, reply).content?.["application/json"];
  const example = media?.example ?? exampleOf(document, media?.schema ?? {});
  const changed = (value: object): object => ({ ...value, ...fields });
  return Array.isArray(example) ? example.map(changed) : Object.assign({}, example, fields);
};

const stepItem = (document: OpenApiDocument, step: Step): Html => {
  const { title, route, given, before, after } = step;
  return html` <li>
    <h3>${title}</h3>
    <p>${before}</p>
    ${codeBlock(curlOf(document, callOf(document, route), given))}
    <details>
      <summary>What comes back</summary>
      ${jsonBlock(exampleReply(document, step))}
    </details>
    <p>${after}</p>
  </li>`;
};

/**
 * The way from nothing to a score, as calls that can be pasted.
 *
 * @returns gives the section for the address at which the service was reached.
 */
export const quickStart = (document: OpenApiDocument): ((serviceUrl: string) => Html) => {
  const items = steps.map((step) => stepItem(document, step));
  return (serviceUrl) =>
    html`<section id="start">
      <h2>Store a trace, evaluate it, read its scores</h2>
      <p>
        ${prose("It takes an API key. `npm start` prints one; for a deployed service `npm run create-key` makes the first,")}
        and ${linkTo(createApiKey)} makes more. Put it in place of the dots; the address is the one this page came from.
      </p>
      ${codeBlock(`ASSAY=${shellWord(serviceUrl)}\nKEY='sk_as_...'`)}
      <ol>
        ${items}
      </ol>
    </section>`;
};
