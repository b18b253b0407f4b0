import * as v from "valibot";
import { lintRules } from "../../domain/metrics/lint/lint.ts";
import { customMetricKinds } from "../../domain/metrics/custom/definition.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import {
  integer,
  json,
  jsonObject,
  oneOf,
  singleValue,
  page,
  paging,
  replyInstant,
  text,
  uuid,
} from "../schema/fields.ts";
import { dryRunField, dryRunQuery } from "../list-query.ts";
import { route } from "../route.ts";
import { rubricReply } from "../runs/template.ts";
import { customMetricInput, customMetricName, customMetricUpdate } from "./custom-fields.ts";

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

/** Fields of a metric's definition in replies. */
const definitionFields = {
  definition: v.pipe(v.record(v.string(), json), v.description("Definition as sent, with defaults filled in.")),
  rubric: v.pipe(
    v.nullable(rubricReply),
    v.description(
      "Mapping from the judge's answers to a score, including default statements and rule; null for metrics without a judge.",
    ),
  ),
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
  remarks: [
    {
      field: ["examples"],
      rule: "example" as const,
      message: "There is no example. One record with its answers shows the judge how strict to be.",
    },
  ],
};

const versionFields = {
  ...summaryFields,
  version: v.pipe(integer, v.description("Version of this definition.")),
  reference: v.pipe(v.string(), v.description("Metric name for runs that use exactly this version, `name@version`.")),
  ...definitionFields,
};

const exampleVersion = { ...exampleSummary, reference: "polite_refusal@2", ...exampleDefinition };

const customMetric = v.pipe(v.object(versionFields), v.title("CustomMetric"), v.examples([exampleVersion]));

const dryRunFields = {
  name: v.string(),
  target_type: oneOf(targetTypes),
  kind: oneOf(customMetricKinds),
  description: v.string(),
  ...definitionFields,
};

const exampleDryRun = {
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

const notes = v.pipe(
  v.array(v.string()),
  v.description("Changes to parts of the other tool's definition that have no equivalent here, one sentence each."),
);

const exampleNotes = { notes: ["The record is shown beside the instructions: input is no placeholder any more."] };

const definitionQuery = dryRunQuery("True to validate and lint the definition without storing it.");

export type CustomMetricReply = v.InferOutput<typeof customMetric>;
export type CustomMetricDryRun = v.InferOutput<typeof customMetricDryRun>;
export type CustomMetricSummary = v.InferOutput<typeof customMetricSummary>;

const params = v.object({ metric_name: v.pipe(text(71, 1), v.description("Name of the custom metric.")) });

/** Path parameter of a metric name with an optional version, `name` or `name@3`. */
const versionParams = v.object({
  metric_name: v.pipe(
    text(71, 1),
    v.description("Name of the custom metric for its newest version, or `name@3` for version 3."),
  ),
});

const listQuery = v.object({ target_type: v.optional(singleValue(oneOf(targetTypes))), ...paging });

/** Common part of the routes that create a custom metric. */
const metricCreation = {
  method: "POST",
  idempotency: "replay",
  access: "project",
  permission: "write",
  refusesUnknownFields: true,
  success: 201,
  reply: customMetric,
  conflict: "The project has a metric of this name.",
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem"] },
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
  grants: { monitors: ["Query"] },
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
  refusesUnknownFields: true,
  success: 200,
  reply: customMetric,
  grants: { monitors: ["GetItem", "PutItem"] },
});

export const deleteCustomMetric = route({
  id: "deleteOwnMetric",
  method: "DELETE",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/delete-custom-metric",
  summary: "Delete a custom metric",
  description:
    "New runs can no longer use the metric. Scores keep its name, its versions can still be read, and runs in progress continue. A " +
    "new metric with the same name continues the version numbers; runs can use only its own versions, older ones can still be read.",
  access: "project",
  permission: "write",
  params,
  success: 204,
  reply: v.void(),
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem"] },
});

const galleryItem = v.pipe(
  v.object({
    name: v.string(),
    target_type: oneOf(targetTypes),
    description: v.string(),
    definition: v.pipe(
      v.record(v.string(), json),
      v.description("Definition of the copy, in the form of a request to create a metric."),
    ),
  }),
  v.title("GalleryMetric"),
  v.examples([
    {
      name: "tone",
      target_type: "TRACE",
      description: "Evaluates whether the agent speaks as a helpful colleague would.",
      definition: { threshold: 0.5 },
    },
  ]),
);

export const listGalleryMetrics = route({
  id: "listGalleryMetrics",
  method: "GET",
  path: "/evaluations/metrics/gallery",
  handler: "api/metrics/list-gallery-metrics",
  summary: "List gallery metrics",
  description: "Gallery metrics are templates of the service; a project can copy them and change the copy.",
  access: "project",
  permission: "read",
  query: listQuery,
  success: 200,
  reply: page(galleryItem),
  grants: {},
});

export const copyGalleryMetric = route({
  ...metricCreation,
  id: "copyGalleryMetric",
  path: "/evaluations/metrics/gallery",
  handler: "api/metrics/copy-gallery-metric",
  summary: "Copy a gallery metric",
  body: v.pipe(
    v.object({
      metric: v.pipe(text(64, 1), v.description("Name of the metric in the gallery.")),
      name: v.nullish(v.pipe(customMetricName, v.description("Name of the copy; the gallery name if absent."))),
    }),
    v.title("GalleryCopyInput"),
    v.examples([{ metric: "tone", name: "tone_of_support" }]),
  ),
});

export const importCustomMetric = route({
  ...metricCreation,
  id: "importOwnMetric",
  path: "/evaluations/metrics/import",
  handler: "api/metrics/import-custom-metric",
  summary: "Import a custom metric",
  description:
    "Creates a custom metric from another evaluation tool's prompt or criteria, with placeholders and scored choices. Choices become " +
    "levels; placeholders become references to the record, which the judge always sees. If lower scores are better in the other " +
    "tool, the values are inverted. `notes` lists omissions and additions.",
  query: definitionQuery,
  body: v.pipe(
    v.object({
      metric: v.pipe(jsonObject, v.description("Metric as exported by the other tool.")),
      name: v.nullish(
        v.pipe(customMetricName, v.description("Name of the new metric; the name in the other tool if absent.")),
      ),
      target_type: v.optional(oneOf(targetTypes), "TRACE"),
      ...dryRunField,
    }),
    v.title("CustomMetricImport"),
    v.examples([
      {
        metric: {
          name: "Helpfulness",
          prompt: "Is the answer helpful?\n\n{{input}}\n\n{{output}}",
          choice_scores: { Yes: 1, Partly: 0.5, No: 0 },
        },
        target_type: "TRACE",
      },
    ]),
  ),
  reply: v.pipe(
    v.object({ ...versionFields, notes }),
    v.title("ImportedMetric"),
    v.examples([{ ...exampleVersion, ...exampleNotes }]),
  ),
  dryRun: v.pipe(
    v.object({ ...dryRunFields, notes }),
    v.title("ImportedMetricDryRun"),
    v.examples([{ ...exampleDryRun, ...exampleNotes }]),
  ),
});
