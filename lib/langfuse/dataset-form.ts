import { hash } from "node:crypto";
import type { LangfuseDatasetItem } from "../contract/langfuse/datasets.ts";
import type { Dataset, ItemRevision } from "../domain/datasets/dataset.ts";
import { traceHex } from "../otlp/wire/span-ids.ts";

/** Returns a dataset in the form of Langfuse's interface. */
export const langfuseDataset = ({ id, projectId, settings, createdAt, updatedAt }: Dataset) => ({
  id,
  ...settings,
  inputSchema: null,
  expectedOutputSchema: null,
  projectId,
  createdAt,
  updatedAt,
});

/** Returns a dataset's item in the form of Langfuse's interface, with the id that its sender gave it. */
export const langfuseItem = (
  { id: datasetId, settings }: Dataset,
  item: ItemRevision,
  status: LangfuseDatasetItem["status"] = "ACTIVE",
): LangfuseDatasetItem => ({
  id: item.externalId ?? item.id,
  status,
  input: item.input,
  expectedOutput: item.expectedOutput,
  metadata: item.metadata,
  sourceTraceId: item.source === null ? null : traceHex(item.source.traceId),
  sourceObservationId: item.source?.spanId ?? null,
  datasetId,
  datasetName: settings.name,
  createdAt: item.createdAt,
  updatedAt: item.revisedAt,
  version: item.revisedAt,
  mediaReferences: [],
});

/**
 * Returns the id of the experiment that a run of a dataset is. Langfuse's SDKs derive it too, so that it never changes: from there the
 * spans have it as `langfuse.experiment.id`.
 */
export const langfuseExperimentId = (project: string, dataset: string, runName: string): string =>
  hash("sha256", JSON.stringify(["langfuse-experiment-v1", project, dataset, runName])).slice(0, 16);
