import { createLangfuseDataset, createLangfuseDatasetItem } from "../../contract/langfuse/datasets.ts";
import { externalIdOf, uuidInProject } from "../../domain/access/identity.ts";
import type { ItemSource } from "../../domain/datasets/dataset.ts";
import { instantAt } from "../../domain/instant.ts";
import { presentEntries } from "../../domain/json.ts";
import { invalid, notFound, Refusal } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { traceDeleted } from "../../domain/traces/deleted-trace.ts";
import { langfuseDataset, langfuseItem } from "../../langfuse/dataset-form.ts";
import { metadataObject } from "../../langfuse/metadata.ts";
import { spanUuidOfText } from "../../otlp/wire/span-ids.ts";
import { datasetStore } from "../../store/datasets/datasets.ts";
import { itemStore } from "../../store/datasets/items.ts";
import { traceReader } from "../../store/traces/reader.ts";
import { langfuseDatasetReader } from "./read-datasets.ts";
import { warnOfUnread } from "./warn-of-unread.ts";

const isConflict = (error: unknown): boolean => error instanceof Refusal && error.reason.kind === "conflict";

/** Returns the functions that answer requests of Langfuse's SDKs which write datasets and items. */
export const langfuseDatasetWriter = (database: Database) => {
  const [datasets, items] = [datasetStore(database), itemStore(database)];
  const { named } = langfuseDatasetReader(database);
  const traces = traceReader(database);

  /** Returns the source of an item, which need not have arrived yet. */
  const sourceOf = (
    project: string,
    { sourceTraceId: trace, sourceObservationId: span }: HandlerRequest<typeof createLangfuseDatasetItem>["body"],
  ): ItemSource | null => {
    if (!trace && span) throw invalid(["body", "sourceTraceId"], "An item of an observation names its trace, too");
    if (!trace) return null;
    const traceId = uuidInProject(project, trace);
    return { traceId, spanId: span ? spanUuidOfText(traceId, span) : null };
  };

  const upsertDataset = async ({ project, body, idFor }: HandlerRequest<typeof createLangfuseDataset>) => {
    const metadata = body.metadata === undefined || body.metadata === null ? undefined : metadataObject(body.metadata);
    const changes = presentEntries({ description: body.description, metadata });
    const existing = await datasets.named(project.id, body.name);
    if (existing === null) {
      const [id, at] = [idFor("dataset"), instantAt(Date.now())];
      const settings = { name: body.name, description: null, metadata: {}, ...changes };
      const times = { createdAt: at, updatedAt: at };
      return datasets.create({ id, projectId: project.id, settings, itemCount: 0, approvedExperiment: null, ...times });
    }
    const changed = await datasets.change(project.id, existing.id, ({ settings, approvedExperiment }) => ({
      settings: { ...settings, ...changes },
      approvedExperiment,
    }));
    if (changed === null) throw notFound(`Dataset ${body.name} not found.`);
    return changed;
  };

  return {
    putDataset: async (request: HandlerRequest<typeof createLangfuseDataset>) => {
      warnOfUnread(request, createLangfuseDataset.body);
      const put = () => upsertDataset(request);
      // Another request may have created the dataset meanwhile.
      return langfuseDataset(
        await put().catch((error: unknown) => (isConflict(error) ? put() : Promise.reject(error))),
      );
    },

    putItem: async (request: HandlerRequest<typeof createLangfuseDatasetItem>) => {
      const {
        project: { id: project },
        body,
        idFor,
      } = request;
      warnOfUnread(request, createLangfuseDatasetItem.body);
      const dataset = await named(project, body.datasetName);
      const sentId = body.id ?? null;
      const id = sentId === null ? idFor("item") : uuidInProject(project, sentId);
      const places = sentId === null ? [] : await items.datasetsWith(project, id);
      if (places.length > 0 && !places.includes(dataset.id))
        throw notFound(`The dataset item with id ${sentId} already exists in a dataset other than ${body.datasetName}`);
      if (body.status === "ARCHIVED") {
        const before = await items.get(project, dataset.id, id);
        if (before === null) throw invalid(["body", "status"], "There is no item to archive: it is deleted then");
        await items.remove(project, dataset.id, id);
        return langfuseItem(dataset, before, "ARCHIVED");
      }
      const source = sourceOf(project, body);
      if (source !== null && (await traces.rejection(project, source.traceId)) === "everything") throw traceDeleted();
      const stored = await items.edit(project, dataset.id, id, (before) => {
        const input = body.input ?? before?.input ?? null;
        if (before === null && input === null)
          throw invalid(["body", "input"], "A new item has an input; one that was archived is deleted: send it whole");
        return {
          id,
          externalId: sentId === null ? null : externalIdOf(sentId),
          input,
          expectedOutput: body.expectedOutput ?? before?.expectedOutput ?? null,
          metadata: (body.metadata ?? null) === null ? (before?.metadata ?? {}) : metadataObject(body.metadata ?? null),
          source: source ?? before?.source ?? null,
        };
      });
      if (stored === null) throw notFound(`Dataset ${body.datasetName} not found.`);
      return langfuseItem(dataset, stored);
    },
  };
};
