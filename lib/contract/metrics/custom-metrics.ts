import * as v from "valibot";
import { lintRules } from "../../domain/metrics/lint/lint-warning.ts";
import { customMetricKinds } from "../../domain/metrics/custom/definition.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { integer, json, oneOf, singleValue, page, paging, replyInstant, text, uuid } from "../schema/fields.ts";
import { dryRunQuery } from "../list-query.ts";
import { route } from "../route.ts";
import { rubricReply } from "../runs/template.ts";
import { customMetricInput, customMetricUpdate } from "./custom-fields.ts";

const summaryFields = {
  id: uuid,
  project_id: uuid,
  name: v.string(),
  target_type: oneOf(targetTypes),
  kind: oneOf(customMetricKinds),
  description: v.string(),
  version: v.pipe(integer, v.description("Newest version of the metric.")),
  versions: v.array(v.object({ version: integer, created_at: replyInstant })),
  created_at: replyInstant,
  updated_at: replyInstant,
  deleted_at: v.pipe(
    v.nullable(replyInstant),
    v.description("Time of deletion, after which no new run can use the metric; null if not deleted."),
  ),
};

const exampleSummary = {
  id: "8f1c2a6e-0f7b-4c55-9a2d-3b8e6d1f4a70",
  project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
  name: "polite_refusal",
  target_type: "TRACE" as const,
  kind: "judge" as const,
  description: "Evaluates whether the agent declines politely what it may not do.",
  version: 2,
  versions: [
    { version: 1, created_at: "2026-11-21T09:00:04.000000+00:00" },
    { version: 2, created_at: "2026-11-21T10:30:00.000000+00:00" },
  ],
  created_at: "2026-11-21T09:00:04.000000+00:00",
  updated_at: "2026-11-21T10:30:00.000000+00:00",
  deleted_at: null,
};

const customMetricSummary = v.pipe(
  v.object(summaryFields),
  v.title("CustomMetricSummary"),
  v.examples([exampleSummary]),
);

const lintWarning = v.pipe(
  v.object({
    field: v.pipe(
      v.array(v.union([v.string(), integer])),
      v.description("Path of the field in the definition, for example `statements`, 0, `text`."),
    ),
    rule: oneOf(lintRules),
    message: v.pipe(v.string(), v.description("Recommendation, in one or two sentences.")),
  }),
  v.title("CustomMetricLintWarning"),
);

/** Schema of the lint warnings of a metric. */
export const lintWarnings = v.pipe(
  v.array(lintWarning),
  v.description("Lint warnings about the definition, none of which prevents its use."),
);

/** Schema of the meaning of a metric's scores. */
export const readsAsText = v.pipe(
  v.string(),
  v.description(
    "What each score means, the highest first: its value, success or failure, and the answers that lead to it.",
  ),
);

/** Fields of a metric's definition in replies. */
const definitionFields = {
  definition: v.pipe(v.record(v.string(), json), v.description("Definition as sent, with defaults filled in.")),
  rubric: v.pipe(
    v.nullable(rubricReply),
    v.description(
      "Mapping from the judge's answers to a score, including default statements and rule; null for metrics without a judge.",
    ),
  ),
  reads_as: readsAsText,
  remarks: lintWarnings,
};

const exampleDefinition = {
  definition: { description: exampleSummary.description, instructions: "", threshold: 0.5 },
  rubric: {
    levels: [
      { name: "yes", meaning: "what is asked is so", value: 1 },
      { name: "no", meaning: "what is asked is not so", value: 0 },
    ],
    statements: [{ name: "declined", text: "Did the agent decline?", yes: "it is so", no: "it is not so" }],
    rule: [{ level: "yes", answers: { declined: "yes" }, least: 1 }],
    otherwise: "no",
  },
  reads_as: "1.0 and success: the agent did decline; 0.0 and failure: the agent did not decline",
  remarks: [
    {
      field: ["examples"],
      rule: "example" as const,
      message: "There is no example. One record with its answers shows the judge how strict to be.",
    },
  ],
};

/** Fields of a version of a custom metric. */
export const versionFields = {
  ...summaryFields,
  version: v.pipe(integer, v.description("Version of this definition.")),
  reference: v.pipe(v.string(), v.description("Metric name for runs that use exactly this version, `name@version`.")),
  ...definitionFields,
};

/** Example of a version. */
export const exampleVersion = { ...exampleSummary, reference: "polite_refusal@2", ...exampleDefinition };

const customMetric = v.pipe(v.object(versionFields), v.title("CustomMetric"), v.examples([exampleVersion]));

/** Fields of the metric that a dry run describes. */
export const dryRunFields = {
  name: v.string(),
  target_type: oneOf(targetTypes),
  kind: oneOf(customMetricKinds),
  description: v.string(),
  ...definitionFields,
};

/** Example of a dry run. */
export const exampleDryRun = {
  name: exampleSummary.name,
  target_type: exampleSummary.target_type,
  kind: exampleSummary.kind,
  description: exampleSummary.description,
  ...exampleDefinition,
};

const customMetricDryRun = v.pipe(
  v.object(dryRunFields),
  v.title("CustomMetricDryRun"),
  v.description(
    "The metric that a request without `dry_run` would create; the project's limit of metrics is not checked.",
  ),
  v.examples([exampleDryRun]),
);

/** Query of routes that validate a definition in a dry run. */
export const definitionQuery = dryRunQuery("True to validate and lint the definition without storing it.");

export type CustomMetricReply = v.InferOutput<typeof customMetric>;
export type CustomMetricDryRun = v.InferOutput<typeof customMetricDryRun>;
export type CustomMetricSummary = v.InferOutput<typeof customMetricSummary>;

const params = v.object({ metric_name: v.pipe(text(71, 1), v.description("Name of the custom metric.")) });

/** Path parameter of a metric name with an optional version, `name` or `name@3`. */
const versionParams = v.object({
  metric_name: v.pipe(
    text(71, 1),
    v.description(
      "Name of the custom metric for its newest version, or `name@3` for version 3, also of a deleted metric.",
    ),
  ),
});

/** Query of lists of metrics. */
export const listQuery = v.object({ target_type: v.optional(singleValue(oneOf(targetTypes))), ...paging });

/** Common part of the routes that create a custom metric. */
export const metricCreation = {
  method: "POST",
  idempotency: "replay",
  access: "project",
  permission: "write",
  success: 201,
  reply: customMetric,
  conflict: "The project has a metric of this name.",
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem"], aggregates: ["Query"] },
} as const;

export const createCustomMetric = route({
  ...metricCreation,
  id: "createOwnMetric",
  path: "/evaluations/metrics",
  handler: "api/metrics/create-custom-metric",
  summary: "Create a custom metric",
  description:
    "Runs, monitors, dry runs and templates accept the name of a custom metric like the names of built-in metrics, which are " +
    "reserved. A project can have 100 custom metrics unless the operator has set another limit; beyond that the reply is 403.",
  query: definitionQuery,
  body: customMetricInput,
  dryRun: customMetricDryRun,
});

export const listCustomMetrics = route({
  id: "listOwnMetrics",
  method: "GET",
  path: "/evaluations/metrics",
  handler: "api/metrics/list-custom-metrics",
  summary: "List custom metrics",
  access: "project",
  permission: "read",
  query: listQuery,
  success: 200,
  reply: page(customMetricSummary),
  // Those of monitors too, whose role it shares: an account has room for 1,000 roles.
  grants: { monitors: ["GetItem", "Query"], aggregates: ["Query"] },
});

export const getCustomMetric = route({
  id: "getOwnMetric",
  method: "GET",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/get-custom-metric",
  summary: "Get a custom metric",
  access: "project",
  permission: "read",
  params: versionParams,
  success: 200,
  reply: customMetric,
  grants: { monitors: ["GetItem"] },
});

export const updateCustomMetric = route({
  id: "updateOwnMetric",
  method: "PATCH",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/update-custom-metric",
  summary: "Update a custom metric",
  description:
    "Creates a new version, unless nothing changes. Versions are immutable: runs in progress keep the version they started with. " +
    "A dry run returns the version that would be stored.",
  access: "project",
  permission: "write",
  params,
  query: definitionQuery,
  body: customMetricUpdate,
  success: 200,
  reply: customMetric,
  grants: { monitors: ["GetItem", "PutItem"], aggregates: ["Query"] },
});

export const deleteCustomMetric = route({
  id: "deleteOwnMetric",
  method: "DELETE",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/delete-custom-metric",
  summary: "Delete a custom metric",
  description:
    "New runs can no longer use the metric, and monitors that name it are paused. Scores keep its name, its versions can still be " +
    "read as `name@version`, and runs in progress continue. A " +
    "new metric with the same name continues the version numbers; runs can use only its own versions, older ones can still be read.",
  access: "project",
  permission: "write",
  params,
  success: 204,
  reply: v.void(),
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem", "Query"], runs: ["PutItem"] },
});
