import type { DatasetItemsInput } from "../../contract/datasets/items.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import { requestMemo } from "../../async/request-memo.ts";
import { externalIdOf, uuidInProject } from "../../domain/access/identity.ts";
import type { ItemSource, SentItem } from "../../domain/datasets/dataset.ts";
import { invalid } from "../../domain/refusal.ts";
import type { TraceReader, StoredTrace } from "../../store/traces/reader.ts";

/** Traces read at the same time. */
const parallel = 4;

/** Traces of which items are made, read once for all items of a request. */
const sources = requestMemo<StoredTrace | null>();

type SentItems = DatasetItemsInput["items"];

/**
 * Returns the items of a request as they are to be stored: with ids, and with the content of their sources where they have none of their own.
 *
 * @param idFor returns the id of the item at an index, the same for each repetition of the request.
 * @throws Refusal `invalid` for an id that occurs twice, and for a source that does not exist.
 */
export const sentItems = async (
  traces: Pick<TraceReader, "get">,
  projectId: string,
  items: SentItems,
  idFor: (position: string) => string,
): Promise<readonly SentItem[]> => {
  const known = new Map<string, number>();
  const identified = items.map((item, at) => {
    const sentId = item.id ?? null;
    const id = sentId === null ? idFor(`item:${at}`) : uuidInProject(projectId, sentId);
    if (known.has(id))
      throw invalid(["body", "items", at, "id"], `The item ${known.get(id)} of the request has the same id`);
    known.set(id, at);
    return { item, at, id, externalId: sentId === null ? null : externalIdOf(sentId) };
  });

  const contentOf = async ({ traceId, spanId }: ItemSource, at: number) => {
    const stored = await sources.get(`${projectId} ${traceId}`, () => traces.get(projectId, traceId));
    if (stored === null) throw invalid(["body", "items", at, "source", "trace_id"], "There is no trace with this id");
    const { trace } = stored;
    if (spanId === null) return trace;
    const span = trace.spans.find((each) => each.span_id === spanId);
    if (span === undefined)
      throw invalid(["body", "items", at, "source", "span_id"], "The trace has no span with this id");
    return span;
  };

  return mapConcurrently(identified, parallel, async ({ item, at, id, externalId }): Promise<SentItem> => {
    const { input, expected_output: expected, metadata = {} } = item;
    const source = item.source ? { traceId: item.source.trace_id, spanId: item.source.span_id ?? null } : null;
    const from = source === null ? null : await contentOf(source, at);
    return {
      id,
      externalId,
      input: input ?? from?.input ?? null,
      expectedOutput: expected === undefined ? (from?.output ?? null) : expected,
      metadata,
      source,
    };
  });
};
