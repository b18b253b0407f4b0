import * as v from "valibot";
import { targetTypes } from "../../domain/runs/run.ts";
import { dryRunField } from "../list-query.ts";
import { route } from "../route.ts";
import { closedObject } from "../schema/closed-object.ts";
import { json, jsonObject, oneOf, page, text } from "../schema/fields.ts";
import { customMetricName } from "./custom-fields.ts";
import {
  definitionQuery,
  dryRunFields,
  exampleDryRun,
  exampleVersion,
  listQuery,
  metricCreation,
  versionFields,
} from "./custom-metrics.ts";

const notes = v.pipe(
  v.array(v.string()),
  v.description("Changes to parts of the other tool's definition that have no equivalent here, one sentence each."),
);

const exampleNotes = { notes: ["The record is shown beside the instructions: input is no placeholder any more."] };

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
    closedObject({
      metric: v.nullish(v.pipe(text(64, 1), v.description("Name of the metric in the gallery; `name` if absent."))),
      name: v.nullish(
        v.pipe(
          customMetricName,
          v.description("Name of the copy; the gallery name if absent. One of both is required."),
        ),
      ),
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
    "Creates a custom metric from another evaluation tool's prompt, criteria, assertions or grader. Choices become levels; criteria " +
    "become statements; conditions such as `contains` become a check; placeholders become references to the record, which the judge " +
    "always sees. If lower scores are better in the other tool, the values are inverted. A metric that cannot be expressed here is " +
    "refused with a sentence about its type. `notes` lists changes, and the fields that are ignored.",
  query: definitionQuery,
  body: v.pipe(
    closedObject({
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
