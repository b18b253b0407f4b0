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

/** OTLP attributes by name. */
export type Attributes = Readonly<Record<string, Value>>;

/** Attributes in OTLP's JSON format. */
export const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

/** An OTLP span event with attributes. */
export const event = (name: string, attributes: Attributes) => ({
  name,
  timeUnixNano: "1795251600250000000",
  attributes: attributesOf(attributes),
});

/** The stored spans of an export request with one trace. */
export const spansIn = (request: unknown): readonly Span[] => traceIn(parse(exportTraces.body, request)).spans;

/** The stored form of an OTLP span with these attributes. */
export const storedSpan = (attributes: Attributes, extraFields: Readonly<Record<string, unknown>> = {}): Span => {
  const fields = { name: "step", attributes: attributesOf(attributes), ...extraFields };
  const otlpSpan = jsonSpan("5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", fields);
  const [span] = spansIn(jsonExport([otlpSpan]));
  if (span === undefined) throw new Error("One span was sent.");
  return span;
};
