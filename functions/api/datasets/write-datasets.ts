import { createDataset, deleteDataset, updateDataset } from "../../../lib/contract/datasets/datasets.ts";
import { createDatasetItems, deleteDatasetItem, updateDatasetItem } from "../../../lib/contract/datasets/items.ts";
import { approveExperiment } from "../../../lib/contract/experiments/approval.ts";
import { createLangfuseDataset, createLangfuseDatasetItem } from "../../../lib/contract/langfuse/datasets.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { datasetWriter } from "../../../lib/handlers/datasets/write.ts";
import { experimentApproval } from "../../../lib/handlers/experiments/approve.ts";
import { langfuseDatasetWriter } from "../../../lib/handlers/langfuse/write-datasets.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const datasets = datasetWriter(database);
const langfuse = langfuseDatasetWriter(database);
const guard = environmentGuard(database);

/** Answers the routes that write datasets and their items. */
export const handler = sharedEndpoint(
  endpoint(createDataset, guard, datasets.create),
  endpoint(updateDataset, guard, datasets.update),
  endpoint(deleteDataset, guard, datasets.remove),
  endpoint(createDatasetItems, guard, datasets.addItems),
  endpoint(updateDatasetItem, guard, datasets.updateItem),
  endpoint(deleteDatasetItem, guard, datasets.removeItem),
  endpoint(approveExperiment, guard, experimentApproval(database)),
  endpoint(createLangfuseDataset, guard, (request) =>
    request.runOnce({ lease: 0 }, () => langfuse.putDataset(request)),
  ),
  endpoint(createLangfuseDatasetItem, guard, (request) =>
    request.runOnce({ lease: 0 }, () => langfuse.putItem(request)),
  ),
);
