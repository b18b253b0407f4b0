import * as v from "valibot";
import { route } from "../route.ts";
import { runCreationRoute } from "../runs/run-routes.ts";
import { createTraceBatchRun, selectedRunFields } from "../runs/trace-runs.ts";
import { closedObject } from "../schema/closed-object.ts";
import { requestExamples } from "../schema/resource.ts";
import { experimentParams } from "./experiments.ts";

export const createExperimentRun = route({
  ...runCreationRoute,
  id: "createExperimentRun",
  answeredBy: createTraceBatchRun.id,
  path: "/experiments/{experiment_id}/runs",
  handler: createTraceBatchRun.handler,
  summary: "Evaluate an experiment",
  description:
    "Evaluates the traces that the experiment has now, as `POST /evaluations/trace-runs/batch` evaluates listed ones, but several at a time. The " +
    "run is an ordinary one below `/evaluations/trace-runs`; its limit of targets holds.",
  params: experimentParams,
  body: v.pipe(
    closedObject(selectedRunFields),
    v.title("ExperimentRunInput"),
    requestExamples([{ metrics: ["task_completion"], max_cost_usd: 2 }]),
  ),
});
