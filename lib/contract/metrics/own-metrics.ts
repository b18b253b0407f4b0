import * as v from "valibot";
import { ownKinds } from "../../domain/metrics/own/definition.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { replyInstant, json, oneOf, once, page, paging, text, uuid } from "../fields.ts";
import { route } from "../route.ts";
import { rubricReply } from "../runs/template.ts";
import { ownMetricInput, ownMetricUpdate } from "./own-fields.ts";

const integer = v.pipe(v.number(), v.integer());

const head = {
  id: uuid,
  project_id: uuid,
  name: v.string(),
  target_type: oneOf(targetTypes),
  kind: oneOf(ownKinds),
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

const ownMetricSummary = v.pipe(v.object(head), v.title("OwnMetricSummary"), v.examples([exampleHead]));

const ownMetric = v.pipe(
  v.object({
    ...head,
    version: v.pipe(integer, v.description("The version that is shown.")),
    reference: v.pipe(v.string(), v.description("What a run names to get this very version.")),
    definition: v.pipe(v.record(v.string(), json), v.description("As it was sent, with its defaults.")),
    rubric: v.pipe(
      v.nullable(rubricReply),
      v.description(
        "How a score follows from what the judge answers, rule and statements that were not sent included.",
      ),
    ),
  }),
  v.title("OwnMetric"),
  v.examples([
    {
      ...exampleHead,
      reference: "polite_refusal@2",
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
    },
  ]),
);

export type OwnMetricReply = v.InferOutput<typeof ownMetric>;
export type OwnMetricSummary = v.InferOutput<typeof ownMetricSummary>;

const params = v.object({ metric_name: v.pipe(text(71, 1), v.description("The metric's name.")) });

/** A name, or a version of it. */
const versionParams = v.object({
  metric_name: v.pipe(text(71, 1), v.description("The metric's name: its newest version; or `name@3`: that one.")),
});

export const createOwnMetric = route({
  id: "createOwnMetric",
  method: "POST",
  repeats: "recorded",
  path: "/evaluations/metrics",
  handler: "api/metrics/create-own-metric",
  summary: "Make a metric of one's own",
  description:
    "Runs, monitors, dry runs and templates take it by its name beside the built-in ones, whose names are reserved. A project has " +
    "at most 100, or as many as the operator says; beyond that it is 403.",
  access: "project",
  permission: "write",
  body: ownMetricInput,
  success: 201,
  reply: ownMetric,
  conflict: "The project has a metric of this name.",
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem"] },
});

export const listOwnMetrics = route({
  id: "listOwnMetrics",
  method: "GET",
  path: "/evaluations/metrics",
  handler: "api/metrics/list-own-metrics",
  summary: "List the project's own metrics with their versions, newest first",
  access: "project",
  permission: "read",
  query: v.object({
    target_type: v.optional(once(oneOf(targetTypes))),
    ...paging,
  }),
  success: 200,
  reply: page(ownMetricSummary),
  grants: { monitors: ["Query"] },
});

export const getOwnMetric = route({
  id: "getOwnMetric",
  method: "GET",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/get-own-metric",
  summary: "Read a metric of one's own, its newest version or another one",
  access: "project",
  permission: "read",
  params: versionParams,
  success: 200,
  reply: ownMetric,
  grants: { monitors: ["GetItem"] },
});

export const updateOwnMetric = route({
  id: "updateOwnMetric",
  method: "PATCH",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/update-own-metric",
  summary: "Make a new version of a metric of one's own",
  description:
    "Versions never change: runs that are under way go on with the one they began with. What changes nothing makes none.",
  access: "project",
  permission: "write",
  params,
  body: ownMetricUpdate,
  success: 200,
  reply: ownMetric,
  grants: { monitors: ["GetItem", "PutItem"] },
});

export const deleteOwnMetric = route({
  id: "deleteOwnMetric",
  method: "DELETE",
  path: "/evaluations/metrics/{metric_name}",
  handler: "api/metrics/delete-own-metric",
  summary: "Make a metric of one's own unavailable for new runs",
  description:
    "Scores keep its name, and its versions can still be read; runs that are under way go on. One that is made again with its name goes on with its numbers.",
  access: "project",
  permission: "write",
  params,
  success: 204,
  reply: v.void(),
  grants: { monitors: ["GetItem", "PutItem", "UpdateItem"] },
});
