import { expect, test } from "vitest";
import type { Operations } from "../../../lib/client/interface.ts";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { resolve } from "../../../lib/contract/openapi/openapi.ts";
import { routes } from "../../../lib/contract/routes.ts";

const { paths, components } = openApiDocument(routes);

type QueryNames<Id extends keyof Operations> = Operations[Id] extends { readonly query: infer Query }
  ? Readonly<Record<keyof Query, true>>
  : never;

const paging = { limit: true, offset: true, cursor: true } as const;

const traceQuery = {
  started_after: true,
  started_before: true,
  user_id: true,
  tags: true,
  session_id: true,
  has_error: true,
  has_failed_span: true,
  prompt_name: true,
  prompt_version: true,
  experiment: true,
  experiment_item_id: true,
  first_error: true,
  min_latency_ms: true,
  max_latency_ms: true,
  min_cost: true,
  max_cost: true,
  min_tokens: true,
  max_tokens: true,
  tool: true,
  release: true,
  environment: true,
  has_session: true,
  metadata: true,
  score: true,
  no_score: true,
  trace_name: true,
  trace_status: true,
  trace_model: true,
} as const;

const sessionScoreQuery = {
  ...paging,
  ...traceQuery,
  name: true,
  source: true,
  status: true,
  eval_run_id: true,
  judge: true,
  model: true,
  min_value: true,
  max_value: true,
  success: true,
  metric_version: true,
  stale: true,
  applicable: true,
  date_from: true,
  date_to: true,
  sort_by: true,
  sort_order: true,
} as const satisfies QueryNames<"listSessionScores">;

const distributionQuery = {
  ...traceQuery,
  group_by: true,
  metric_name: true,
  judge: true,
  metric_version: true,
  source: true,
  date_from: true,
  date_to: true,
  buckets: true,
} as const satisfies QueryNames<"getTraceScoreDistribution">;

test.each([
  ["/prices", paging satisfies QueryNames<"listPrices">],
  ["/evaluations/session-scores", sessionScoreQuery],
  ["/evaluations/analytics/trace-scores/distribution", distributionQuery],
])("the type of the query of %s has the parameters of the operation, and no others", (path, query) => {
  const parameters = paths[path]?.["get"]?.parameters.map((parameter) => resolve(components.parameters, parameter));
  const names = parameters?.filter((parameter) => parameter.in === "query").map(({ name }) => name);

  expect(names?.toSorted()).toEqual(Object.keys(query).toSorted());
});

test("types of one query by reference to another accept the same values as in full", () => {
  interface Distribution {
    readonly metric_name: string;
    readonly judge?: string | undefined;
    readonly metric_version?: number | undefined;
    readonly date_from?: string | undefined;
    readonly date_to?: string | undefined;
    readonly buckets?: number | undefined;
  }
  const sample: Distribution = { metric_name: "task_completion", buckets: 5 };

  const query: Operations["getTraceScoreDistribution"]["query"] = sample;
  const distribution: Distribution = query;

  expect(distribution).toBe(sample);
});
