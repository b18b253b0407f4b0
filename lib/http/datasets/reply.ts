import type { DatasetReply } from "../../contract/datasets/datasets.ts";
import type { DatasetItemReply } from "../../contract/datasets/items.ts";
import type { Dataset, ItemRevision } from "../../domain/datasets/dataset.ts";

export const datasetReply = ({
  id,
  projectId,
  settings,
  itemCount,
  approvedExperiment,
  createdAt,
  updatedAt,
}: Dataset): DatasetReply => ({
  id,
  project_id: projectId,
  ...settings,
  item_count: itemCount,
  approved_experiment_id: approvedExperiment,
  created_at: createdAt,
  updated_at: updatedAt,
});

export const datasetItemReply = (datasetId: string, item: ItemRevision): DatasetItemReply => ({
  id: item.id,
  external_id: item.externalId,
  dataset_id: datasetId,
  input: item.input,
  expected_output: item.expectedOutput,
  metadata: item.metadata,
  source: item.source === null ? null : { trace_id: item.source.traceId, span_id: item.source.spanId },
  created_at: item.createdAt,
  revised_at: item.revisedAt,
});
