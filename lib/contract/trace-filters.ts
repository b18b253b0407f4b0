import * as v from "valibot";
import { traceStatuses } from "../domain/trace.ts";
import { inJson } from "./json-schema.ts";
import { instantAsWritten, oneOf, tags, text } from "./fields.ts";

const keys = {
  date_from: v.nullish(v.pipe(instantAsWritten, v.description("Started then or later."))),
  date_to: v.nullish(v.pipe(instantAsWritten, v.description("Started before then."))),
  status: v.nullish(oneOf(traceStatuses)),
  session_id: v.nullish(text(255)),
  user_id: v.nullish(text(255)),
  tags: v.nullish(v.pipe(tags, v.description("Any of these."))),
  name: v.nullish(v.pipe(text(512), v.description("Part of the name, in any case."))),
};

type Given<T> = { readonly [Key in keyof T]?: NonNullable<T[Key]> };

const withoutNulls = <T extends object>(filters: T): Given<T> => {
  const given: { -readonly [Key in keyof T]?: NonNullable<T[Key]> } = {};
  for (const key in filters) {
    const value = filters[key];
    if (value !== null && value !== undefined) given[key] = value;
  }
  return given;
};

/** Finds what an object schema lets pass: a list, and every key that is no filter. */
const nothingElse = v.pipe(
  v.unknown(),
  v.rawCheck(({ dataset, addIssue }) => {
    const input: unknown = dataset.value;
    if (typeof input !== "object" || input === null) return;
    if (Array.isArray(input)) {
      addIssue({ message: "Input should be a valid dictionary" });
      return;
    }
    for (const [key, value] of Object.entries(input)) {
      if (Object.hasOwn(keys, key)) continue;
      const path = { type: "object", origin: "key", input: { ...input }, key, value } as const;
      addIssue({ message: "Extra inputs are not permitted", expected: "never", path: [path] });
    }
  }),
  v.transform(() => ({})),
  inJson({ type: "object", additionalProperties: false }),
);

/**
 * What selects traces. Values stay as they were written; keys that are null are dropped. An unknown key is refused: a
 * misspelt filter that matches everything costs money.
 */
export const traceFilters = v.pipe(
  v.intersect([v.object(keys, "Input should be a valid dictionary"), nothingElse]),
  v.transform(withoutNulls),
  v.title("TraceFilters"),
  v.description("What selects traces; all of it must match. Null means not set, an empty object matches everything."),
);

export type TraceFilters = v.InferOutput<typeof traceFilters>;
