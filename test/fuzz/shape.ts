import type { GenericSchema } from "valibot";
import { type SchemaValues, knownSchemas } from "./known-schemas.ts";

/** Values that a schema accepts, as plain data for generating requests. */
export type Shape =
  | { readonly kind: "known"; readonly knownValues: SchemaValues }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Slot>>; readonly strict: boolean }
  | { readonly kind: "map"; readonly value: Slot }
  | { readonly kind: "list"; readonly item: Slot; readonly min: number; readonly max: number }
  | { readonly kind: "either"; readonly options: readonly Slot[]; readonly schema: GenericSchema }
  | { readonly kind: "text"; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly options: readonly (string | number | boolean)[] }
  | { readonly kind: "number"; readonly min: number; readonly max: number; readonly isInteger: boolean }
  /** An integer as text, in a query. */
  | { readonly kind: "numeral"; readonly min: number; readonly max: number }
  | { readonly kind: "boolean" };

/** A position for a value. */
export interface Slot {
  readonly shape: Shape;
  readonly mayBeAbsent: boolean;
  readonly mayBeNull: boolean;
  /** True for a query parameter that must not be repeated although it arrives as a list. */
  readonly once: boolean;
}

/** A schema or pipe step as represented by valibot. */
interface Part {
  readonly kind: "schema" | "validation" | "transformation" | "metadata";
  readonly type: string;
  readonly pipe?: readonly Part[];
  readonly requirement?: unknown;
  readonly entries?: Readonly<Record<string, Part>>;
  readonly wrapped?: Part;
  readonly item?: Part;
  readonly value?: Part;
  readonly literal?: string | number | boolean;
  readonly options?: readonly unknown[];
}

const knownOf = (part: Part): SchemaValues | undefined => knownSchemas.get(part as unknown as GenericSchema);

/** Steps of a pipe and of nested pipes; a known schema is not expanded. */
const stepsOf = (part: Part): readonly Part[] => {
  if (part.pipe === undefined || knownOf(part) !== undefined) return [part];
  const [first, ...otherSteps] = part.pipe;
  return [...(first === undefined ? [] : stepsOf(first)), ...otherSteps.flatMap((step) => stepsOf(step))];
};

/** Steps that do not restrict values, or that are handled below. */
const harmless = new Set([
  "transform",
  "to_lower_case",
  "to_upper_case",
  "trim",
  "readonly",
  "brand",
  "finite",
  // Relations between fields; the registry provides consistent values.
  "partial_check",
]);
const bounds = new Set(["min_length", "max_length", "min_value", "max_value", "integer", "non_empty"]);

const unknownPart = (path: string, type: string): Error =>
  new Error(
    `${path}: nobody can tell from a "${type}" what it takes. Add a line to test/fuzz/known-schemas.ts that gives ` +
      "the schema's valid and wrong values.",
  );

const checkSteps = (steps: readonly Part[], path: string): void => {
  for (const { kind, type } of steps) {
    if (kind === "metadata" || kind === "schema" || harmless.has(type) || bounds.has(type)) continue;
    throw unknownPart(path, type);
  }
};

const bound = (steps: readonly Part[], type: string, otherwise: number): number => {
  const requirement = steps.find((step) => step.type === type)?.requirement;
  return typeof requirement === "number" ? requirement : otherwise;
};

const always = { mayBeAbsent: false, mayBeNull: false, once: false };

const objectShape = (schema: Pick<Part, "entries">, strict: boolean, path: string): Shape => ({
  kind: "object",
  strict,
  fields: Object.fromEntries(
    Object.entries(schema.entries ?? {}).map(([name, entry]) => [name, slotOfPart(entry, `${path}.${name}`)]),
  ),
});

const textShape = (steps: readonly Part[], path: string): Shape => {
  const toNumber = steps.findIndex(({ type }) => type === "transform");
  const [before, after] = toNumber === -1 ? [steps, []] : [steps.slice(0, toNumber), steps.slice(toNumber)];
  if (after.some(({ type }) => type === "min_value" || type === "max_value")) {
    return {
      kind: "numeral",
      min: bound(after, "min_value", -1e12),
      max: bound(after, "max_value", 1e12),
    };
  }
  checkSteps(steps, path);
  const minLength = before.some(({ type }) => type === "non_empty") ? 1 : 0;
  return { kind: "text", min: bound(before, "min_length", minLength), max: bound(before, "max_length", Infinity) };
};

const shapeOf = (schema: Part, steps: readonly Part[], path: string): Shape => {
  const knownSchema = knownOf(schema);
  // The registry entry of a known schema also covers the steps after it.
  if (knownSchema !== undefined) {
    checkSteps(steps, path);
    return { kind: "known", knownValues: knownSchema };
  }
  if (schema.type === "string") return textShape(steps, path);
  checkSteps(steps, path);
  switch (schema.type) {
    case "object":
    case "loose_object":
      return objectShape(schema, false, path);
    case "strict_object":
      return objectShape(schema, true, path);
    case "record":
      return { kind: "map", value: slotOfPart(schema.value ?? schema, `${path}.*`) };
    case "array":
      return {
        kind: "list",
        item: slotOfPart(schema.item ?? schema, `${path}.0`),
        min: bound(steps, "min_length", 0),
        max: bound(steps, "max_length", Infinity),
      };
    case "union":
    case "variant":
      return {
        kind: "either",
        options: (schema.options ?? []).map((option, index) => slotOfPart(option as Part, `${path}|${index}`)),
        schema: schema as unknown as GenericSchema,
      };
    case "picklist":
    case "enum":
      return { kind: "choice", options: schema.options as readonly string[] };
    case "literal":
      return { kind: "choice", options: [schema.literal ?? ""] };
    case "number":
      return {
        kind: "number",
        min: bound(steps, "min_value", -Infinity),
        max: bound(steps, "max_value", Infinity),
        isInteger: steps.some(({ type }) => type === "integer"),
      };
    case "boolean":
      return { kind: "boolean" };
    default:
      throw unknownPart(path, schema.type);
  }
};

const slotOfPart = (part: Part, path: string): Slot => {
  const knownSchema = knownOf(part);
  if (knownSchema !== undefined) return { ...always, shape: { kind: "known", knownValues: knownSchema } };
  const [outer] = stepsOf(part);
  // A `closedObject`: its first option lists the fields, the second refuses others.
  if (outer?.type === "intersect") {
    const [fields] = outer.options as readonly [Part, ...unknown[]];
    return { ...always, shape: objectShape(fields, true, path) };
  }
  if (outer?.wrapped !== undefined) {
    const inner = slotOfPart(outer.wrapped, path);
    const [absent, nullable] = [
      ["optional", "nullish", "exact_optional", "undefinedable"].includes(outer.type),
      ["nullable", "nullish"].includes(outer.type),
    ];
    return { ...inner, mayBeAbsent: inner.mayBeAbsent || absent, mayBeNull: inner.mayBeNull || nullable };
  }
  const steps = stepsOf(part);
  // The last schema of a pipe determines the accepted values; earlier ones only convert.
  const last = steps.findLastIndex(({ kind }) => kind === "schema");
  const schema = steps[last];
  if (schema === undefined) throw unknownPart(path, part.type);
  const once = last > 0 && steps[0]?.type === "array";
  return { ...always, once, shape: shapeOf(schema, steps.slice(last + 1), path) };
};

/**
 * Derives the accepted values from a schema.
 * @param path name of the schema's position, for the error.
 * @throws Error with instructions when a part of the schema is not supported.
 */
export const slotOf = (schema: GenericSchema, path: string): Slot => slotOfPart(schema, path);
