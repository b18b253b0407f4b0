import { isObject, type Json, type JsonObject } from "../json.ts";
import { shortened } from "../text.ts";
import type { Masker } from "./masker.ts";
import { stepInto, type PathNode } from "./path.ts";

/**
 * How a field is masked: a number is a text of at most so many characters, an `id` is masked only where a rule names its field, `usage`
 * has counts and amounts that stay numbers, and `metadata` are entries some of which describe the record.
 */
export type FieldForm = "value" | "entries" | "usage" | "texts" | "id" | "metadata" | number;

/** Masks the entries of a field of the form `metadata`. @param rule the rule that names the field; null if there is none. */
export type MaskMetadata = (metadata: JsonObject, nodes: readonly PathNode[], rule: string | null) => JsonObject;

/** Returns the function that masks the entries of an object, all of them if a rule names the object. */
export const maskEntries =
  (masker: Masker, nodes: readonly PathNode[], rule: string | null) =>
  (key: string, value: Json): Json => {
    if (rule === null) return masker.entry(key, value, nodes);
    return value === null ? null : masker.markOf(rule);
  };

/** Masks the value of a field. @param nodes places of the field in the tree of the paths. */
export const maskField = (
  masker: Masker,
  name: string,
  form: FieldForm,
  value: Json,
  nodes: readonly PathNode[],
  maskMetadata?: MaskMetadata,
): Json => {
  if (value === null) return null;
  if (form === "usage") return masker.value(value, nodes, true);
  const rule = masker.ruleOf(name, nodes);
  if (form === "metadata" && maskMetadata !== undefined && isObject(value)) return maskMetadata(value, nodes, rule);
  if ((form === "metadata" || form === "entries") && isObject(value))
    return masker.entries(value, maskEntries(masker, nodes, rule));
  if (rule !== null)
    return form === "texts" && Array.isArray(value) ? value.map(() => masker.markOf(rule)) : masker.markOf(rule);
  if (form === "id" && typeof value === "string") return value;
  const masked = masker.value(value, nodes);
  // A mark may be longer than what it replaces.
  return typeof form === "number" && typeof masked === "string" ? shortened(masked, form) : masked;
};

/** Masks the fields of a record that have a form; the others stay. @param nodes places of the record in the tree of the paths. */
export const maskRecord = <Item extends object>(
  masker: Masker,
  record: Item,
  forms: Readonly<Record<string, FieldForm>>,
  nodes: readonly PathNode[],
  maskMetadata?: MaskMetadata,
): Item => {
  const fields = Object.entries(record).map(([name, value]: [string, Json | undefined]) => {
    const form = forms[name];
    if (form === undefined || value === undefined) return [name, value] as const;
    return [name, maskField(masker, name, form, value, stepInto(nodes, name), maskMetadata)] as const;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a masked field has the form that it had.
  return Object.fromEntries(fields) as Item;
};
