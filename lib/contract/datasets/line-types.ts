/** Content types of items with one on each line, beside JSON. */
export const lineTypes = ["application/x-ndjson", "text/csv"] as const;

export type LineType = (typeof lineTypes)[number];
