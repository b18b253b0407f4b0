import type { DatasetItemsInput } from "../../contract/datasets/items.ts";
import { traceDeleted } from "../../domain/traces/deleted-trace.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import { checkUnpacked } from "../../async/request-budget.ts";
import { externalIdOf, uuidInProject } from "../../domain/access/identity.ts";
import { itemContentText, maxItemBytes, maxRequestBytes, type SentItem } from "../../domain/datasets/dataset.ts";
import { pseudonymOf } from "../../domain/access/pseudonym.ts";
import type { Json } from "../../domain/json.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import type { TraceReader } from "../../store/traces/reader.ts";

/** Traces read at the same time, which together fit into the memory of a function. */
const parallel = 4;

type InputItem = DatasetItemsInput["items"][number];

/** What a trace or a span was asked, what it answered, and the pseudonym of the trace's user. */
interface SourceContent {
  readonly sourceUser: string | undefined;
  readonly input: Json;
  readonly output: Json;
}

/** True for an item that takes its input or its expected output from its source. */
const needsSource = ({ source, input, expected_output: expected }: InputItem): boolean =>
  source !== null && source !== undefined && (input === undefined || expected === undefined);

const tooLarge = (subject: string, bytes: number): Refusal =>
  new Refusal({ kind: "too-large", detail: `${subject} larger than ${bytes / 1024} KB.` });

/**
 * Returns the items of a request as they are to be stored: with ids, and with the content of their sources where they have none of their
 * own. Each trace is read once.
 *
 * @param idFor returns the id of the item at an index, the same for each repetition of the request.
 * @param lines line of each item in a body of lines.
 * @throws Refusal `invalid` for an id that occurs twice and for a source that does not exist; `not-found` for one that was erased with its user; `too-large` for an item, for all of them, or
 *   for more stored traces than a request may read.
 */
export const sentItems = async (
  traces: Pick<TraceReader, "get" | "rejection">,
  projectId: string,
  items: readonly InputItem[],
  idFor: (position: string) => string,
  lines?: readonly number[],
): Promise<readonly SentItem[]> => {
  const indexOfId = new Map<string, number>();
  const ids = items.map(({ id: sentId }, at) => {
    const id = sentId === null || sentId === undefined ? idFor(`item:${at}`) : uuidInProject(projectId, sentId);
    const earlier = indexOfId.get(id);
    const place = lines === undefined ? `item ${earlier} of the request` : `item of line ${lines[earlier ?? 0]}`;
    if (earlier !== undefined) throw invalid(["body", "items", at, "id"], `The ${place} has the same id`);
    indexOfId.set(id, at);
    return id;
  });

  const namedOnly = items.flatMap((item) => (item.source && !needsSource(item) ? [item.source.trace_id] : []));
  await mapConcurrently(new Set(namedOnly), parallel, async (traceId) => {
    if ((await traces.rejection(projectId, traceId)) === "everything") throw traceDeleted();
  });

  const positions = Map.groupBy(
    items.keys().filter((at) => items[at] !== undefined && needsSource(items[at])),
    (at) => items[at]?.source?.trace_id ?? "",
  );
  const contents = new Map<number, SourceContent>();
  await mapConcurrently(positions, parallel, async ([traceId, ats]) => {
    checkUnpacked();
    const { trace } = (await traces.get(projectId, traceId)) ?? {};
    const sourceUser = trace?.user_id == null ? undefined : pseudonymOf(projectId, trace.user_id);
    if (trace === undefined)
      throw invalid(["body", "items", ats[0] ?? 0, "source", "trace_id"], "There is no trace with this id");
    for (const at of ats) {
      const spanId = items[at]?.source?.span_id ?? null;
      const { input, output } = (spanId === null ? trace : trace.spans.find((span) => span.span_id === spanId)) ?? {};
      if (input === undefined || output === undefined)
        throw invalid(["body", "items", at, "source", "span_id"], "The trace has no span with this id");
      contents.set(at, { input, output, sourceUser });
    }
  });

  let bytes = 0;
  return items.map(({ id: sentId, input, expected_output: expected, metadata = {}, source }, at) => {
    const content = contents.get(at);
    const item = {
      id: ids[at] ?? "",
      externalId: sentId === null || sentId === undefined ? null : externalIdOf(sentId),
      input: input === undefined ? (content?.input ?? null) : input,
      expectedOutput: expected === undefined ? (content?.output ?? null) : expected,
      metadata,
      sourceUser: content?.sourceUser,
      source: source ? { traceId: source.trace_id, spanId: source.span_id ?? null } : null,
    };
    const itemBytes = Buffer.byteLength(itemContentText(item));
    bytes += itemBytes;
    const place = lines === undefined ? `item ${at} of the request` : `item of line ${lines[at]}`;
    if (itemBytes > maxItemBytes) throw tooLarge(`The ${place} is`, maxItemBytes);
    if (bytes > maxRequestBytes) throw tooLarge("The items of the request are together", maxRequestBytes);
    return item;
  });
};
