import {
  compareExperiments,
  getExperiment,
  listExperimentItems,
  listExperiments,
} from "../../../lib/contract/experiments/experiments.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { experimentAnswers } from "../../../lib/handlers/experiments/answer.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const experiments = experimentAnswers(connect());
const guard = environmentGuard(connect());

/** Answers the routes that read experiments. */
export const handler = sharedEndpoint(
  endpoint(listExperiments, guard, experiments.list),
  endpoint(getExperiment, guard, experiments.get),
  endpoint(listExperimentItems, guard, experiments.items),
  endpoint(compareExperiments, guard, experiments.compare),
);
