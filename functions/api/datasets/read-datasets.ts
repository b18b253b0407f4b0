import { getDataset, listDatasets } from "../../../lib/contract/datasets/datasets.ts";
import { getDatasetItem, listDatasetItems } from "../../../lib/contract/datasets/items.ts";
import {
  getLangfuseDataset,
  listLangfuseDatasetItems,
  listLangfuseDatasets,
} from "../../../lib/contract/langfuse/datasets.ts";
import {
  compareExperiments,
  getExperiment,
  listExperimentItems,
  listExperiments,
} from "../../../lib/contract/experiments/experiments.ts";
import { evaluateGate } from "../../../lib/contract/experiments/gates.ts";
import { uuidInProject } from "../../../lib/domain/access/identity.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { datasetReader } from "../../../lib/handlers/datasets/read.ts";
import { experimentAnswers } from "../../../lib/handlers/experiments/answer.ts";
import { gateEvaluation } from "../../../lib/handlers/experiments/gate.ts";
import { langfuseDatasetReader } from "../../../lib/handlers/langfuse/read-datasets.ts";
import { datasetItemReply, datasetReply } from "../../../lib/http/datasets/reply.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const { datasetPage, dataset, listItems, item } = datasetReader(database);
const [experiments, langfuse] = [experimentAnswers(database), langfuseDatasetReader(database)];
const guard = environmentGuard(database);

/** Answers the routes that read datasets, their items, and experiments. */
export const handler = sharedEndpoint(
  endpoint(listDatasets, guard, async ({ project, query, paging }) => datasetPage(project.id, query.name, paging)),
  endpoint(getDataset, guard, async ({ params, project }) =>
    datasetReply(await dataset(project.id, params.dataset_id)),
  ),
  endpoint(listDatasetItems, guard, listItems),
  endpoint(listLangfuseDatasets, guard, langfuse.list),
  endpoint(getLangfuseDataset, guard, langfuse.get),
  endpoint(listLangfuseDatasetItems, guard, langfuse.items),
  endpoint(getDatasetItem, guard, async ({ params: { dataset_id, item_id }, project }) =>
    datasetItemReply(dataset_id, await item(project.id, dataset_id, uuidInProject(project.id, item_id))),
  ),
  endpoint(listExperiments, guard, experiments.list),
  endpoint(getExperiment, guard, experiments.get),
  endpoint(listExperimentItems, guard, experiments.items),
  endpoint(compareExperiments, guard, experiments.compare),
  endpoint(evaluateGate, guard, gateEvaluation(database)),
);
