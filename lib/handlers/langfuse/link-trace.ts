import { createLangfuseDatasetRunItem } from "../../contract/langfuse/datasets.ts";
import { derivedUuid, uuidInProject } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import { presentEntries } from "../../domain/json.ts";
import { invalid, notFound, Refusal } from "../../domain/refusal.ts";
import { shortened } from "../../domain/text.ts";
import { traceDeletedDetail } from "../../domain/traces/deleted-trace.ts";
import { maxProvenanceCharacters } from "../../domain/traces/provenance.ts";
import type { Database } from "../../dynamo/database.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { langfuseExperimentId } from "../../langfuse/dataset-form.ts";
import { spanOfTrace } from "../../langfuse/event-span.ts";
import { tracesOf } from "../../otlp/traces/traces-of.ts";
import { itemStore } from "../../store/datasets/items.ts";
import type { MaskedTraces } from "../../store/traces/masked.ts";
import { ingestTraces } from "../traces/ingest.ts";
import { warnOfUnread } from "./warn-of-unread.ts";

/**
 * Returns the function that links a trace to an item of a dataset: the trace's own metadata name the experiment, as its spans may, so that
 * either may come first.
 *
 * @throws Refusal `not-found` for an unknown item or a deleted trace, `conflict` if several datasets have the item, and as `ingestTraces`.
 */
export const traceLinker = (database: Database, traces: MaskedTraces) => {
  const items = itemStore(database);
  return async ({ project, body, warn }: HandlerRequest<typeof createLangfuseDatasetRunItem>) => {
    warnOfUnread({ body, warn }, createLangfuseDatasetRunItem.body);
    const { runName, datasetItemId, traceId: traceText, observationId, createdAt } = body;
    const { runDescription, metadata: runMetadata, datasetVersion } = body;
    if (!traceText) throw invalid(["body", "traceId"], "A link names the trace that ran the item");
    const item = uuidInProject(project.id, datasetItemId);
    const [dataset, ...others] = await items.datasetsWith(project.id, item);
    if (dataset === undefined) throw notFound(`Dataset item ${datasetItemId} not found.`);
    if (others.length > 0) {
      const detail = `Several datasets have an item ${datasetItemId}: its id does not tell which one the trace ran.`;
      throw new Refusal({ kind: "conflict", detail });
    }
    const datasetRunId = langfuseExperimentId(project.id, dataset, runName);
    const at = instantAt(Date.now());
    const traceId = uuidInProject(project.id, traceText);
    const facts = presentEntries({ runDescription, runMetadata, datasetVersion, observationId, createdAt });
    const event = { kind: "trace", id: traceText, at, body: { id: traceText }, attributes: facts } as const;
    const span = spanOfTrace(event, traceId);
    const attributes = {
      ...span.attributes,
      "langfuse.experiment.name": shortened(runName, maxProvenanceCharacters),
      "langfuse.experiment.id": datasetRunId,
      "langfuse.experiment.item.id": datasetItemId,
      "langfuse.experiment.dataset.id": dataset,
    };
    const { traces: linked } = tracesOf([{ ...span, attributes }]);
    const [refusal] = await ingestTraces(traces, project, linked);
    if (refusal?.message === traceDeletedDetail) throw notFound(traceDeletedDetail);
    if (refusal !== undefined) throw invalid(["body", "traceId"], refusal.message);
    return {
      id: derivedUuid(project.id, "langfuse-run-item", datasetRunId, item, traceId),
      datasetRunId,
      datasetRunName: runName,
      datasetItemId,
      traceId: traceText,
      observationId: observationId || null,
      createdAt: createdAt ?? at,
      updatedAt: createdAt ?? at,
    };
  };
};
