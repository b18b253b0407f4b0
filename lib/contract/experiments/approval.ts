import * as v from "valibot";
import { createDataset, datasetParams, getDataset } from "../datasets/datasets.ts";
import { route } from "../route.ts";
import { closedObject } from "../schema/closed-object.ts";
import { text } from "../schema/fields.ts";
import { requestExamples } from "../schema/resource.ts";

export const approveExperiment = route({
  id: "approveExperiment",
  answeredBy: createDataset.id,
  method: "PUT",
  path: "/datasets/{dataset_id}/approved",
  handler: createDataset.handler,
  summary: "Approve an experiment",
  description:
    "Names the experiment that gates compare with as `approved`. One that fails is refused: it has been compared with the present approved " +
    "experiment, as by `GET /experiments/{experiment_id}/compare`, and a metric is `worse` (all metrics together, by Holm's procedure).",
  access: "project",
  permission: "write",
  params: datasetParams,
  body: v.pipe(
    closedObject({
      experiment_id: v.pipe(text(1024, 1), v.description("Id of an experiment whose traces name the dataset.")),
      force: v.pipe(v.optional(v.boolean(), false), v.description("True to approve an experiment that fails.")),
    }),
    v.title("ApprovalInput"),
    requestExamples([{ experiment_id: "9a2d5c0e-1f3b-5d47-8e60-2b7c4d9f1a35" }]),
  ),
  success: 200,
  conflict:
    "The experiment is worse than the approved one, `detail` has the metrics and their numbers; or another was approved meanwhile.",
  reply: getDataset.reply,
  grants: createDataset.grants,
});
