import * as v from "valibot";
import { lintRules } from "../../domain/metrics/lint/lint.ts";
import { customKinds } from "../../domain/metrics/custom/definition.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { json, jsonObject, oneOf, once, page, paging, replyInstant, text, uuid } from "../fields.ts";
import { booleanWord } from "../list-query.ts";
import { route } from "../route.ts";
import { rubricReply } from "../runs/template.ts";
import { customMetricInput, customMetricName, customMetricUpdate } from "./custom-fields.ts";

const integer = v.pipe(v.number(), v.integer());

const head = {
  id: uuid,
  project_id: uuid,
  name: v.string(),
  target_type: oneOf(targetTypes),
  kind: oneOf(customKinds),
  description: v.string(),
  version: v.pipe(integer, v.description("The newest.")),
  versions: v.array(v.object({ version: integer, created_at: replyInstant })),
  created_at: replyInstant,
  updated_at: replyInstant,
  deleted_at: v.pipe(v.nullable(replyInstant), v.description("Since when no new run may ask for it.")),
};

const exampleHead = {
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

const customMetricSummary = v.pipe(v.object(head), v.title("CustomMetricSummary"), v.examples([exampleHead]));

const remark = v.pipe(
  v.object({
    field: v.pipe(
      v.array(v.union([v.string(), integer])),
      v.description("Where, as a path into the definition: `statements`, 0, `text`."),
    ),
    rule: oneOf(lintRules),
    message: v.pipe(v.string(), v.description("What to do about it, in a sentence or two.")),
  }),
  v.title("CustomMetricRemark"),
);

/** What a linter says of a metric. */
export const customMetricRemarks = v.pipe(
  v.array(remark),
  v.description("What may go wrong with it, as a linter sees it. Nothing is refused for a remark."),
);

/** What a metric says, as replies have it. */
const said = {
  definition: v.pipe(v.record(v.string(), json), v.description("As it was sent, with its defaults.")),
  rubric: v.pipe(
    v.nullable(rubricReply),
    v.description("How a score follows from what the judge answers, rule and statements that were not sent included."),
  ),
  remarks: customMetricRemarks,
};

const exampleSaid = {
  definition: { description: exampleHead.description, instructions: "", threshold: 0.5 },
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

const shown = {
  ...head,
  version: v.pipe(integer, v.description("The version that is shown.")),
  reference: v.pipe(v.string(), v.description("What a run names to get this very version.")),
  ...said,
};

const exampleShown = { ...exampleHead, reference: "polite_refusal@2", ...exampleSaid };

const customMetric = v.pipe(v.object(shown), v.title("CustomMetric"), v.examples([exampleShown]));

const tried = {
  name: v.string(),
  target_type: oneOf(targetTypes),
  kind: oneOf(customKinds),
  description: v.string(),
  ...said,
};

const exampleTried = {
  name: exampleHead.name,
  target_type: exampleHead.target_type,
  kind: exampleHead.kind,
  description: exampleHead.description,
  ...exampleSaid,
};

const triedMetric = v.pipe(
  v.object(tried),
  v.title("CustomMetricDryRun"),
  v.description("A metric as it would be made. Whether the project has room for one more is not looked at."),
  v.examples([exampleTried]),
);

const notes = v.pipe(
  v.array(v.string()),
  v.description("What became of what the other tool's form has and this one has not, a sentence each."),
);

const exampleNotes = { notes: ["The record is shown beside the instructions: input is no placeholder any more."] };

const dryRunQuery = v.object({
  dry_run: v.optional(
    once(
      v.pipe(
        booleanWord,
        v.description("Whether only to say what would become of it, remarks included: nothing is stored."),
      ),
    ),
    ["false"],
  ),
});

export type CustomMetricReply = v.InferOutput<typeof customMetric>;
export type TriedMetric = v.InferOutput<typeof triedMetric>;
export type CustomMetricSummary = v.InferOutput<typeof customMetricSummary>;

const params = v.object({ metric_name: v.pipe(text(71, 1), v.description("The metric's name.")) });

/** A name, or a version of it. */
const versionParams = v.object({
  metric_name: v.pipe(text(71, 1), v.description("The metric's name: its newest version; or `name@3`: that one.")),
});

export const createCustomMetric = route({
  id: "createOwnMetric",
  method: "POST",
  repeats: "recorded",
  path: "/evaluations/metrics",
  handler: "api/metrics/create-custom-metric",
  summary: "Make a metric of one's own",
  description:
    "Runs, monitors, dry runs and templates take it by its name beside the built-in ones, whose names are reserved. A project has " +
    "at most 100, or as many as the operator says; beyond that it is 403.",
  access: "project",
  permission: "write",
  query: dryRunQuery,
  body: customMetricInput,
  success: 201,
  reply: customMetric,
  dryRun: triedMetric,
  conflict: "The project has a metric of this name.",
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem"] },
});

export const listCustomMetrics = route({
  id: "listOwnMetrics",
  method: "GET",
  path: "/evaluations/metrics",
  handler: "api/metrics/list-custom-metrics",
  summary: "List the project's own metrics with their versions, newest first",
  access: "project",
  permission: "read",
  query: v.object({
    target_type: v.optional(once(oneOf(targetTypes))),
    ...paging,
  }),
  success: 200,
  reply: page(customMetricSummary),
  grants: { monitors: ["Query"] },
});

export const getCustomMetric = route({
  id: "getOwnMetric",
  method: "GET",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/get-custom-metric",
  summary: "Read a metric of one's own, its newest version or another one",
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
  summary: "Make a new version of a metric of one's own",
  description:
    "Versions never change: runs that are under way go on with the one they began with. What changes nothing makes none. A dry " +
    "run answers with the version that it would be.",
  access: "project",
  permission: "write",
  params,
  query: dryRunQuery,
  body: customMetricUpdate,
  success: 200,
  reply: customMetric,
  grants: { monitors: ["GetItem", "PutItem"] },
});

export const deleteCustomMetric = route({
  id: "deleteOwnMetric",
  method: "DELETE",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/delete-custom-metric",
  summary: "Make a metric of one's own unavailable for new runs",
  description:
    "Scores keep its name, and its versions can still be read; runs that are under way go on. One that is made again with its name goes on with its numbers: runs name its own versions, and those before can be read.",
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
    definition: v.pipe(v.record(v.string(), json), v.description("What a copy is made of, as a metric is sent.")),
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
  summary: "List metrics to begin with",
  description: "They belong to the service. A copy belongs to the project, which may change it.",
  access: "project",
  permission: "read",
  query: v.object({
    target_type: v.optional(once(oneOf(targetTypes))),
    ...paging,
  }),
  success: 200,
  reply: page(galleryItem),
  grants: {},
});

export const copyGalleryMetric = route({
  id: "copyGalleryMetric",
  method: "POST",
  repeats: "recorded",
  path: "/evaluations/metrics/gallery",
  handler: "api/metrics/copy-gallery-metric",
  summary: "Copy a metric of the gallery into the project",
  access: "project",
  permission: "write",
  body: v.pipe(
    v.object({
      metric: v.pipe(text(64, 1), v.description("Its name in the gallery.")),
      name: v.nullish(
        v.pipe(customMetricName, v.description("What the copy is called; as in the gallery when absent.")),
      ),
    }),
    v.title("GalleryCopyInput"),
    v.examples([{ metric: "tone", name: "tone_of_support" }]),
  ),
  success: 201,
  reply: customMetric,
  conflict: "The project has a metric of this name.",
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem"] },
});

export const importCustomMetric = route({
  id: "importOwnMetric",
  method: "POST",
  repeats: "recorded",
  path: "/evaluations/metrics/import",
  handler: "api/metrics/import-custom-metric",
  summary: "Make a metric of one's own of another tool's",
  description:
    "Takes a prompt or criteria, with placeholders and choices with scores, as evaluation tools export them: the choices become levels, the placeholders " +
    "words for the record, which a judge is shown anyway. Where the tool says that less is better the values are turned round. `notes` say what had to be left or added.",
  access: "project",
  permission: "write",
  query: dryRunQuery,
  body: v.pipe(
    v.object({
      metric: v.pipe(jsonObject, v.description("As the other tool exports it.")),
      name: v.nullish(
        v.pipe(customMetricName, v.description("What it is called here; as in the other tool when absent.")),
      ),
      target_type: v.optional(oneOf(targetTypes), "TRACE"),
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
  success: 201,
  reply: v.pipe(
    v.object({ ...shown, notes }),
    v.title("ImportedMetric"),
    v.examples([{ ...exampleShown, ...exampleNotes }]),
  ),
  dryRun: v.pipe(
    v.object({ ...tried, notes }),
    v.title("ImportedMetricDryRun"),
    v.examples([{ ...exampleTried, ...exampleNotes }]),
  ),
  conflict: "The project has a metric of this name.",
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem"] },
});
