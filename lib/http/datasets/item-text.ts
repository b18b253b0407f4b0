import type { LineType } from "../../contract/datasets/line-types.ts";
import { csvLine } from "../../domain/csv.ts";
import { cellOf, itemColumns } from "../../domain/datasets/columns.ts";
import type { ItemRevision } from "../../domain/datasets/dataset.ts";

/** Returns an item as it can be sent again; the id is that of its sender. */
const sentForm = ({ id, externalId, input, expectedOutput, metadata, source }: ItemRevision) => ({
  id: externalId ?? id,
  input,
  expected_output: expectedOutput,
  metadata,
  source: source === null ? null : { trace_id: source.traceId, span_id: source.spanId },
});

const cellsOf = (item: ItemRevision): readonly string[] => {
  const { id, input, expected_output, metadata, source } = sentForm(item);
  const empty = (value: object | null): string =>
    value === null || Object.keys(value).length === 0 ? "" : JSON.stringify(value);
  return [id, cellOf(input), cellOf(expected_output), empty(metadata), empty(source)];
};

/** Beginning of a text of items, and the line of each. */
interface ItemText {
  readonly begin: string;
  readonly line: (item: ItemRevision) => string;
}

/** Texts of items by their content type. */
export const itemTexts: Readonly<Record<LineType, ItemText>> = {
  "application/x-ndjson": { begin: "", line: (item) => `${JSON.stringify(sentForm(item))}\n` },
  "text/csv": { begin: csvLine(itemColumns.names), line: (item) => csvLine(cellsOf(item)) },
};
