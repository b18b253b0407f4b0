import type { GenericSchema } from "valibot";
import { closedObjects, type Known, knownSchemas } from "./known-schemas.ts";

/** What a schema takes, as plain data: what requests are made of. */
export type Shape =
  | { readonly kind: "known"; readonly known: Known }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Slot>>; readonly strict: boolean }
  | { readonly kind: "map"; readonly value: Slot }
  | { readonly kind: "list"; readonly item: Slot; readonly min: number; readonly max: number }
  | { readonly kind: "either"; readonly options: readonly Slot[]; readonly schema: GenericSchema }
  | { readonly kind: "text"; readonly min: number; readonly max: number }
  | { readonly kind: "choice"; readonly options: readonly (string | number | boolean)[] }
  | { readonly kind: "number"; readonly min: number; readonly max: number; readonly whole: boolean }
  /** A whole number as text, in a query. */
  | { readonly kind: "numeral"; readonly min: number; readonly max: number }
  | { readonly kind: "boolean" };

/** A place for a value. */
export interface Slot {
  readonly shape: Shape;
  readonly mayBeAbsent: boolean;
  readonly mayBeNull: boolean;
  /** A query parameter that arrives as the list of its values and may stand once. */
  readonly once: boolean;
}

/** A schema or a step of a pipe, as valibot keeps it. */
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

const knownOf = (part: Part): Known | undefined => knownSchemas.get(part as unknown as GenericSchema);

/** The steps of a pipe and of the pipes in it; a schema that is known stays whole. */
const stepsOf = (part: Part): readonly Part[] => {
  if (part.pipe === undefined || knownOf(part) !== undefined) return [part];
  const [first, ...others] = part.pipe;
  return [...(first === undefined ? [] : stepsOf(first)), ...others.flatMap((step) => stepsOf(step))];
};

/** What says nothing of which values are taken, or is read by name below. */
const harmless = new Set([
  "transform",
  "to_lower_case",
  "to_upper_case",
  "trim",
  "readonly",
  "brand",
  "finite",
  // What some fields have to do with each other: the registry gives them values that agree.
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

const objectShape = (schema: Part, strict: boolean, path: string): Shape => ({
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
  const least = before.some(({ type }) => type === "non_empty") ? 1 : 0;
  return { kind: "text", min: bound(before, "min_length", least), max: bound(before, "max_length", Infinity) };
};

const shapeOf = (schema: Part, steps: readonly Part[], path: string): Shape => {
  const known = knownOf(schema);
  // What follows a known schema in its pipe is part of what the line in the registry has to know.
  if (known !== undefined) {
    checkSteps(steps, path);
    return { kind: "known", known };
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
        whole: steps.some(({ type }) => type === "integer"),
      };
    case "boolean":
      return { kind: "boolean" };
    default:
      throw unknownPart(path, schema.type);
  }
};

const slotOfPart = (part: Part, path: string): Slot => {
  const known = knownOf(part);
  if (known !== undefined) return { ...always, shape: { kind: "known", known } };
  const closed = closedObjects.get(part as unknown as GenericSchema);
  if (closed !== undefined) return { ...always, shape: objectShape(closed, true, path) };
  const [outer] = stepsOf(part);
  if (outer?.wrapped !== undefined) {
    const inner = slotOfPart(outer.wrapped, path);
    const [absent, nullable] = [
      ["optional", "nullish", "exact_optional", "undefinedable"].includes(outer.type),
      ["nullable", "nullish"].includes(outer.type),
    ];
    return { ...inner, mayBeAbsent: inner.mayBeAbsent || absent, mayBeNull: inner.mayBeNull || nullable };
  }
  const steps = stepsOf(part);
  // What a later schema of a pipe takes is what counts: the earlier ones only bring the value to it.
  const last = steps.findLastIndex(({ kind }) => kind === "schema");
  const schema = steps[last];
  if (schema === undefined) throw unknownPart(path, part.type);
  const once = last > 0 && steps[0]?.type === "array";
  return { ...always, once, shape: shapeOf(schema, steps.slice(last + 1), path) };
};

/**
 * Reads from a schema what it takes.
 *
 * @param path what the schema is of, for the error.
 * @throws Error saying what to add when a part of it can be read by nobody.
 */
export const slotOf = (schema: GenericSchema, path: string): Slot => slotOfPart(schema, path);
