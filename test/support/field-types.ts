/** Type of a reply field; a trailing `?` allows null. `instant` requires a time zone offset, `any` allows any value. */
type FieldType =
  | "text"
  | "text?"
  | "texts"
  | "uuid"
  | "uuid?"
  | "instant"
  | "instant?"
  | "integer"
  | "number"
  | "number?"
  | "yes-no"
  | "object"
  | "object?"
  | "list"
  | "null"
  | "any";

/** Types of fields by path, such as `metric.name`, or `spans.0.name` for the first element of a list. */
export type Fields = Readonly<Record<string, FieldType>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const matches = (pattern: RegExp) => (value: unknown) => typeof value === "string" && pattern.test(value);
const isUuid = matches(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const isInstant = matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?\+00:00$/);
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const orNull = (holds: (value: unknown) => boolean) => (value: unknown) => value === null || holds(value);

const fits: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: isText,
  "text?": orNull(isText),
  texts: (value) => Array.isArray(value) && value.every(isText),
  uuid: isUuid,
  "uuid?": orNull(isUuid),
  instant: isInstant,
  "instant?": orNull(isInstant),
  integer: Number.isSafeInteger,
  number: isNumber,
  "number?": orNull(isNumber),
  "yes-no": (value) => typeof value === "boolean",
  object: isObject,
  "object?": orNull(isObject),
  list: Array.isArray,
  null: (value) => value === null,
  any: (value) => value !== undefined,
};

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((parent, name) => (parent as Readonly<Record<string, unknown>> | null)?.[name], value);

/** Descriptions of fields that are missing or have the wrong type, such as `name is undefined`. */
export const misfits = (value: unknown, fields: Fields): readonly string[] =>
  Object.entries(fields)
    .filter(([path, type]) => !fits[type](at(value, path)))
    .map(([path, type]) => `${path} is ${JSON.stringify(at(value, path))}, no ${type}`);
