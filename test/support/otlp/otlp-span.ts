import { parse } from "valibot";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import type { Span } from "../../../lib/domain/traces/trace.ts";
import { jsonExport, jsonSpan } from "./otlp.ts";
import { traceIn } from "./otlp-fixtures.ts";

type Value = string | number | boolean | readonly string[];

const anyValue = (value: Value): unknown => {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
};

/** Attributes by name. */
export type Attributes = Readonly<Record<string, Value>>;

/** Attributes as OTLP's JSON writes them. */
export const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

/** An event with these attributes. */
export const event = (name: string, attributes: Attributes) => ({
  name,
  timeUnixNano: "1795251600250000000",
  attributes: attributesOf(attributes),
});

/** The spans of a request with one trace, as they would be stored. */
export const spansIn = (request: unknown): readonly Span[] => traceIn(parse(exportTraces.body, request)).spans;

/** A span with these attributes, as it would be stored. */
export const stored = (attributes: Attributes, more: Readonly<Record<string, unknown>> = {}): Span => {
  const fields = { name: "step", attributes: attributesOf(attributes), ...more };
  const sent = jsonSpan("5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", fields);
  const [span] = spansIn(jsonExport([sent]));
  if (span === undefined) throw new Error("One span was sent.");
  return span;
};
