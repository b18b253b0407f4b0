import { describe, expect, test } from "vitest";
import { isPart, partOf, partsOf, type Part } from "../../../lib/contract/schema/schema-part.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { replyWriters } from "../../../lib/http/reply.ts";

const originalInstant = "2026-10-01T10:00:00+00:00";
const formattedInstant = "2026-10-01T10:00:00.000000+00:00";

/** Free-form data, whose instants stay as they were sent. */
const data = { started_at: originalInstant, created_at: originalInstant, date_from: originalInstant };

/** Values of a schema with the same text at every instant; every other text has the form of an instant, too. */
const valuesOf = (schema: Part | undefined, instant: string): readonly unknown[] => {
  if (schema === undefined) throw new Error("A schema has no part where one is expected.");
  const parts = partsOf(schema);
  const outputSchema = parts.findLast(({ metadata }) => metadata?.jsonSchema !== undefined)?.metadata?.jsonSchema
    ?.output;
  if (outputSchema?.format === "date-time") return [instant];
  const { type, entries = {}, item, wrapped, options = [] } = parts[0] ?? schema;
  switch (type) {
    case "object":
    case "loose_object":
    case "object_with_rest": {
      const members = Object.entries(entries).map(([name, entry]) => [name, valuesOf(entry, instant)] as const);
      const valueCount = Math.max(1, ...members.map(([, values]) => values.length));
      return Array.from({ length: valueCount }, (_, turn) =>
        Object.fromEntries(members.map(([name, values]) => [name, values[turn % values.length]])),
      );
    }
    case "array":
      return [[], valuesOf(item, instant)];
    case "nullable":
    case "nullish":
    case "optional":
      return [...valuesOf(wrapped, instant), null];
    case "non_optional":
      return valuesOf(wrapped, instant);
    case "union":
      return options.filter(isPart).flatMap((option) => valuesOf(option, instant));
    case "string":
      return [originalInstant];
    case "record":
    case "custom":
    case "unknown":
      return [data];
    case "number":
    case "boolean":
    case "literal":
    case "picklist":
    case "undefined":
    case "void":
      return [1];
    default:
      throw new Error(`What is a ${type}?`);
  }
};

const answers = routes.flatMap((route) => {
  const writers = replyWriters(route);
  return (["reply", "dryRun", "report"] as const).flatMap((kind) => {
    const schema = route[kind];
    if (schema === undefined) return [];
    const part = partOf(schema);
    return [[`the ${kind} of ${route.method} ${route.path}`, { part, write: writers[kind] }] as const];
  });
});

describe.each(answers)("%s", (_name, { part, write }) => {
  test("has microseconds at every instant, and every other text unchanged", () => {
    const writtenValues = valuesOf(part, originalInstant).map((value): unknown => JSON.parse(write(value)));

    expect(writtenValues).toEqual(valuesOf(part, formattedInstant));
  });
});

test("an instant in any notation is written in one", () => {
  const { reply } = replyWriters(getHealth);
  const instants = ["2026-10-01", "2026-10-01T12:00:00.5+02:00", originalInstant, formattedInstant, "soon"];

  expect(instants.map((timestamp): unknown => JSON.parse(reply({ timestamp })))).toEqual(
    [
      "2026-10-01T00:00:00.000000+00:00",
      "2026-10-01T10:00:00.500000+00:00",
      formattedInstant,
      formattedInstant,
      "soon",
    ].map((timestamp) => ({
      timestamp,
    })),
  );
});

test("a span's missing time stays null", () => {
  const { reply } = replyWriters(getTrace);

  expect(reply({ ended_at: null, spans: [{ ended_at: null, output: data }] })).toBe(
    JSON.stringify({ ended_at: null, spans: [{ ended_at: null, output: data }] }),
  );
});
