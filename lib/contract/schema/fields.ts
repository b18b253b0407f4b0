import * as v from "valibot";
import { withMicroseconds, parseInstant } from "../../domain/instant.ts";
import { labelText, toDouble, type Json, type JsonObject } from "../../domain/json.ts";
import { maxViolations } from "../../domain/refusal.ts";
import { canonicalUuid, uuidPattern, hasAtMost } from "../../domain/text.ts";
import { describedAs, documentedBySchema } from "./json-schema.ts";

/**
 * Like valibot's `array`, but stops validating after `maxViolations` issues, the most that a reply lists: the issues of a
 * million items would not fit in a function's memory.
 */
export const arrayOf = <Item extends v.GenericSchema>(item: Item): v.ArraySchema<Item, undefined> => {
  const schema = v.array(item);
  const runSchema = schema["~run"].bind(schema);
  const runUntilLimit: typeof runSchema = (dataset, config) => {
    const { value: input } = dataset;
    if (!Array.isArray(input) || input.length <= maxViolations) return runSchema(dataset, config);
    const values: v.InferOutput<Item>[] = [];
    const issues: v.InferIssue<Item>[] = [];
    for (let start = 0; start < input.length && issues.length < maxViolations; start += maxViolations) {
      const block = runSchema({ value: input.slice(start, start + maxViolations) }, config);
      for (const issue of block.issues ?? []) {
        const place = issue.path?.[0];
        if (place?.type === "array") Object.assign(place, { input, key: place.key + start });
        issues.push(issue);
      }
      if (block.typed) for (const value of block.value) values.push(value);
    }
    const [first, ...otherIssues] = issues;
    return first === undefined
      ? { typed: true, value: values }
      : { typed: false, value: input, issues: [first, ...otherIssues] };
  };
  return { ...schema, "~run": runUntilLimit };
};

/** Maximum nesting depth of free-form JSON. */
const maxDepth = 100;

const isWithinDepth = (value: unknown, limit: number): boolean => {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return true;
  if (limit === 0) return false;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (!isWithinDepth(child, limit - 1)) return false;
  }
  return true;
};

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** Schema of an integer in replies. */
export const integer = v.pipe(v.number(), v.integer());

/** Schema of the tokens of several traces in replies. */
export const tokenSum = v.pipe(
  integer,
  v.description(`Sum over traces; a sum above ${Number.MAX_SAFE_INTEGER} (2^53-1) is returned as this number.`),
);

/** Like valibot's `maxLength`, but counts Unicode code points as JSON Schema does, not UTF-16 code units. */
export const maxCharacters = (max: number, message: string): v.MaxLengthAction<string, number, string> => {
  const maxLength: v.MaxLengthAction<string, number, string> = v.maxLength(max, message);
  const run = maxLength["~run"].bind(maxLength);
  return {
    ...maxLength,
    "~run": (dataset, config) => (dataset.typed && hasAtMost(dataset.value, max) ? dataset : run(dataset, config)),
  };
};

/** Schema of text of `min` to `max` characters (code points). */
export const text = (max: number, min = 0) =>
  v.pipe(
    v.string("Input should be a valid string"),
    v.minLength(min, `String should have at least ${min} character${min === 1 ? "" : "s"}`),
    maxCharacters(max, `String should have at most ${max} characters`),
  );

/** Schema of a text of another product's telemetry, which may be a number or a boolean. @param schema that of the text. */
export const labelled = <Schema extends v.GenericSchema<string, string>>(schema: Schema) =>
  v.pipe(
    v.unknown(),
    v.transform((value) => labelText(value) ?? value),
    schema,
    documentedBySchema(schema),
  );

/** Pattern of a UUID in any case, with or without hyphens; JSON Schema has no case-insensitive flag. */
const uuidInAnyCase = "^(?:[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32})$";

/** Schema of a UUID of any version and case, with or without hyphens; normalized to lower case with hyphens. */
export const uuid = v.pipe(
  v.string("Input should be a valid string"),
  v.regex(uuidPattern, "Input should be a valid UUID"),
  v.transform(canonicalUuid),
  describedAs({ type: "string", format: "uuid", pattern: uuidInAnyCase }, { type: "string", format: "uuid" }),
);

/** Pattern of existing calendar dates from the year 1, leap years included. */
const dayPattern =
  "(?:(?:[1-9]\\d{3}|0[1-9]\\d{2}|00[1-9]\\d|000[1-9])-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|" +
  "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|" +
  "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)";

/** Schema of an id of another product: a UUID, which is normalized, or another text, which names one in the project. */
export const externalId = v.pipe(
  text(1024, 1),
  v.transform((id) => (uuidPattern.test(id) ? canonicalUuid(id) : id)),
  describedAs({ type: "string", minLength: 1, maxLength: 1024 }),
);

const instantInput = {
  type: "string",
  description:
    "ISO 8601 date (midnight UTC) or date-time, from 0001-01-01 to 9999-12-31 in UTC; seconds, fraction and time zone " +
    "(default UTC) are optional.",
  pattern:
    `^${dayPattern}` +
    "(?:T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)?)?$",
  examples: ["2026-11-21T09:00:00Z"],
} as const;

/** Schema of an ISO 8601 date or date-time, converted to the canonical form in UTC. */
export const instant = v.pipe(
  v.string("Input should be a valid datetime or date"),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const parsed = parseInstant(dataset.value);
    if (parsed !== null) return parsed;
    addIssue({ message: "Input should be a valid datetime or date" });
    return NEVER;
  }),
  describedAs(instantInput),
);

/** Schema of an ISO 8601 date or date-time that is validated and otherwise kept as the client sent it. */
export const unparsedInstant = v.pipe(
  v.string("Input should be a valid datetime or date"),
  v.check((value) => parseInstant(value) !== null, "Input should be a valid datetime or date"),
  describedAs(instantInput),
);

/**
 * Schema of an instant in replies: UTC with microseconds and offset. The endpoint wrapper converts the instants that
 * handlers return to this form.
 */
export const replyInstant = v.pipe(
  v.string("Input should be a valid datetime"),
  // The message is a function so that the OpenAPI generator does not use it as the description.
  v.check(
    (value) => withMicroseconds(value) === value,
    () => "Input should be in UTC with microseconds and offset",
  ),
  describedAs({ type: "string", format: "date-time", examples: ["2026-11-21T09:00:00.000000+00:00"] }),
);

/** Schema of a finite number from `min` to `max`. */
export const numberBetween = (min: number, max: number) =>
  v.pipe(
    v.unknown(),
    v.transform(toDouble),
    describedAs({ type: "number" }),
    v.number("Input should be a valid number"),
    v.minValue(min, `Input should be greater than or equal to ${min}`),
    v.maxValue(max, `Input should be less than or equal to ${max}`),
  );

/** Schema of free-form JSON, at most 100 levels deep. */
export const json = v.pipe(
  v.custom<Json>(
    (value) => value !== undefined && isWithinDepth(value, maxDepth),
    `Input should be nested at most ${maxDepth} levels deep`,
  ),
  describedAs({}),
);

/** Schema of a free-form JSON object, at most 100 levels deep. */
export const jsonObject = v.pipe(
  v.custom<JsonObject>(isObject, "Input should be a valid dictionary"),
  v.check((value) => isWithinDepth(value, maxDepth), `Input should be nested at most ${maxDepth} levels deep`),
  describedAs({ type: "object" }),
);

/** Schema of an object with arbitrary keys and values of one schema; arrays are refused. */
export const dictionaryOf = <Value extends v.GenericSchema>(value: Value) =>
  v.pipe(
    v.custom<object>((value) => !Array.isArray(value), "Input should be a valid dictionary"),
    v.record(v.string(), value, "Input should be a valid dictionary"),
  );

/** Returns the validation message of an amount outside 0 to `max` (after rounding), or null if the amount is valid. */
const amountError = (input: unknown, max: number): string | null => {
  const value = toDouble(input ?? 0);
  if (typeof value !== "number") return "Input should be a valid number";
  if (!Number.isFinite(value)) return "Input should be a finite number";
  if (value < 0) return "Input should be greater than or equal to 0";
  return Math.round(value) > max ? `Input should be less than or equal to ${max}` : null;
};

/** Schema of a free-form object in which the given keys, if present, are null or finite numbers from 0 to `max`. */
export const jsonObjectWithAmounts = (keys: readonly string[], max = Number.POSITIVE_INFINITY) =>
  v.pipe(
    jsonObject,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      for (const key of keys) {
        const message = amountError(dataset.value[key], max);
        if (message === null) continue;
        const path = { type: "object", origin: "value", input: dataset.value, key, value: dataset.value[key] } as const;
        addIssue({ message, path: [path] });
      }
    }),
    describedAs({
      type: "object",
      properties: Object.fromEntries(
        keys.map((key) => [
          key,
          { type: ["number", "null"], minimum: 0, ...(Number.isFinite(max) && { maximum: max }) },
        ]),
      ),
    }),
  );

const joinOptions = (options: readonly string[]): string =>
  options.length < 2
    ? options.map((option) => `'${option}'`).join("")
    : `${options
        .slice(0, -1)
        .map((option) => `'${option}'`)
        .join(", ")} or '${options.at(-1)}'`;

/** Schema of a string enum, case-sensitive. */
export const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, `Input should be ${joinOptions(options)}`);

/**
 * Schema of a list of `min` to `max` items. The maximum is checked before the items are validated, so that an oversized list
 * costs little.
 */
export const listOf = <Item extends v.GenericSchema>(item: Item, max: number, min = 0) => {
  const tooMany = `List should have at most ${max} items after validation`;
  return v.pipe(
    v.custom<unknown[]>(Array.isArray, "Input should be a valid list"),
    v.maxLength(max, tooMany),
    arrayOf(item),
    v.minLength(min, `List should have at least ${min} item${min === 1 ? "" : "s"} after validation`),
    v.maxLength(max, tooMany),
  );
};

/** Schema of at most 100 tags of at most 255 characters each. */
export const tags = listOf(text(255), 100);

/** Schema of a query parameter that can be given at most once; takes the parameter's values and parses the single one. */
export const singleValue = <Schema extends v.GenericSchema<string, unknown>>(schema: Schema) =>
  v.pipe(
    v.array(v.string()),
    v.maxLength(1, "Parameter should be given once"),
    v.transform((values) => values[0] ?? ""),
    schema,
  );

const wholeNumber = v.pipe(
  v.string(),
  v.regex(/^-?\d+$/, "Input should be a valid integer"),
  // Larger offsets are beyond the end of any list, so that their exact value does not matter.
  v.transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER)),
  describedAs({ type: "integer" }),
);

/** Schema of the `limit` parameter: page size from 1 to `max`. */
export const pageLimit = (max: number, defaultLimit: number) =>
  v.optional(
    singleValue(
      v.pipe(
        wholeNumber,
        v.minValue(1, "Input should be greater than or equal to 1"),
        v.maxValue(max, `Input should be less than or equal to ${max}`),
      ),
    ),
    [String(defaultLimit)],
  );

/** Maximum characters of a cursor; actual cursors are shorter, though they contain names of up to 1,024 characters. */
const maxCursorLength = 10_000;

/** Query parameter `cursor` of lists. */
const pageCursor = v.optional(
  singleValue(
    v.pipe(
      text(maxCursorLength, 1),
      v.description(
        "The `next_cursor` of the previous page, with the same filters and order; replaces `offset`, and new items do not shift the pages.",
      ),
    ),
  ),
);

/** Paging parameters of list routes. */
export const paging = {
  limit: pageLimit(200, 50),
  offset: v.optional(singleValue(v.pipe(wholeNumber, v.minValue(0, "Input should be greater than or equal to 0"))), [
    "0",
  ]),
  cursor: pageCursor,
};

/** Paging parameters of list routes that reply with a plain array if all of these parameters are absent. */
export const optionalPaging = {
  limit: v.optional(paging.limit.wrapped),
  offset: v.optional(paging.offset.wrapped),
  cursor: pageCursor,
};

/** Schema of `next_cursor` in replies: the cursor of the next page, or null on the last page. */
export const nextCursor = v.nullable(
  v.pipe(
    v.string(),
    v.description("Cursor of the next page, null on the last page; the `Link` header has the same as a URL."),
  ),
);

/** Schema of a page of a list. @param item schema of the items. */
export const page = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(
    v.object({
      items: v.array(item),
      total: v.pipe(v.number(), v.integer(), v.examples([1])),
      limit: v.pipe(v.number(), v.integer(), v.examples([50])),
      offset: v.pipe(v.number(), v.integer(), v.examples([0])),
      next_cursor: nextCursor,
    }),
    v.metadata({ page: true }),
  );
