import fc from "fast-check";
import type { JsonSchema } from "../../../lib/contract/schema/json-schema.ts";
import type { OpenApiDocument } from "../../../lib/contract/openapi/openapi.ts";
import { freeJson, valuesOf } from "./arbitrary-values.ts";

const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    2,
    "",
    "x",
    "x".repeat(256),
    "x".repeat(1025),
    [],
    {},
    ["x"],
    "gpt-",
  ),
  freeJson,
);

/** Random mutations: descend into a value, replace it, remove one of its keys or add one. */
const moves = fc.record({ at: fc.nat(), move: fc.constantFrom("in", "in", "replace", "remove", "add"), by: strange });

const mutated = (
  value: unknown,
  [step, ...laterSteps]: readonly { at: number; move: string; by: unknown }[],
): unknown => {
  if (step === undefined) return value;
  if (typeof value !== "object" || value === null || step.move === "replace") return step.by;
  const keys = Object.keys(value);
  const key = keys[step.at % Math.max(1, keys.length)];
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (step.move === "add" || key === undefined)
      return Array.from({ length: 501 + (step.at % 600) }, (_, index) => items[index % items.length] ?? "x");
    const index = Number(key);
    return step.move === "remove" ? items.toSpliced(index, 1) : items.with(index, mutated(items[index], laterSteps));
  }
  const object = value as Readonly<Record<string, unknown>>;
  if (key === undefined || step.move === "add") return { ...object, surplus: step.by };
  const { [key]: inner, ...otherFields } = object;
  return step.move === "remove" ? otherFields : { ...otherFields, [key]: mutated(inner, laterSteps) };
};

/** Values that JSON Schema accepts, with one mutation at any depth. */
export const almostValuesOf = (document: OpenApiDocument, schema: JsonSchema): fc.Arbitrary<unknown> =>
  fc
    .tuple(valuesOf(document, schema), fc.array(moves, { minLength: 1, maxLength: 4 }))
    .map(([value, steps]) => mutated(value, steps));
