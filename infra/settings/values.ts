import * as v from "valibot";
import { nearestName } from "../../lib/domain/nearest-name.ts";

/** Lets a setting be JSON text as well: `cdk -c key=value` passes text, a settings file contains JSON. */
export const jsonOrText = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    v.unknown(),
    v.transform((input) => {
      if (typeof input !== "string") return input;
      try {
        return JSON.parse(input) as unknown;
      } catch {
        return input;
      }
    }),
    schema,
  );

/** Schema of a whole number from `min` to `max` within a setting that is an object. */
export const wholeNumberField = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
};

/** Setting type: a whole number from `min` to `max`. */
export const wholeNumber = (min: number, max: number) => jsonOrText(wholeNumberField(min, max));

/** Setting type: text that is not empty and has no blanks at its ends, where nobody sees them and nothing equals it. */
export const nonEmptyText = v.pipe(
  v.string("must be text"),
  v.nonEmpty("must not be empty"),
  v.check((text) => text.trim() === text, "must not begin or end with a blank"),
);

/** Setting type: an e-mail address. */
export const emailAddress = v.pipe(v.string("must be an e-mail address"), v.email("must be an e-mail address"));

/** Setting type: a list of 1 to `max` different texts. */
export const listOf = <Item extends v.GenericSchema<unknown, string>>(item: Item, max: number) =>
  v.pipe(
    v.array(item, "must be a list"),
    v.minLength(1, "must not be empty"),
    v.maxLength(max, `must have ${max} at most`),
    v.check((items) => new Set(items).size === items.length, "must not name one twice"),
  );

/** Setting type: true or false. */
export const booleanSetting = jsonOrText(v.boolean("must be true or false"));

/** Setting type: ARN of an AWS resource. @param noun the resource in the error message, such as "a topic". */
export const arn = (service: string, resource: RegExp, noun: string) => {
  const message = `must be the ARN of ${noun}`;
  const form = new RegExp(String.raw`^arn:aws[a-z-]*:${service}:[a-z0-9-]*:\d{12}:${resource.source}$`, "u");
  return v.pipe(v.string(message), v.regex(form, message));
};

/** Returns the error message function of a strict object: `unknown` with the nearest known name for unknown members, `wrongType` for missing members and values that are no object. */
export const objectFault =
  (wrongType: string, unknown = "is not a setting", knownNames: readonly string[] = []) =>
  ({ expected, input }: v.BaseIssue<unknown>): string => {
    if (expected !== "never") return wrongType;
    const suggestion = nearestName(String(input), knownNames);
    return suggestion === null ? unknown : `${unknown} (did you mean ${suggestion}?)`;
  };
