import * as v from "valibot";
import { nearestName } from "../../lib/domain/nearest-name.ts";

/** `cdk -c key=value` gives text, a file gives JSON: both mean the same. */
export const written = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    v.unknown(),
    v.transform((given) => {
      if (typeof given !== "string") return given;
      try {
        return JSON.parse(given) as unknown;
      } catch {
        return given;
      }
    }),
    schema,
  );

/** A whole number within bounds. */
export const wholeNumber = (min: number, max: number) => {
  const wanted = `must be a whole number from ${min} to ${max}`;
  return written(v.pipe(v.number(wanted), v.integer(wanted), v.minValue(min, wanted), v.maxValue(max, wanted)));
};

/** Text that says something. */
export const nonEmpty = v.pipe(v.string("must be text"), v.nonEmpty("must not be empty"));

/** True or false. */
export const yesOrNo = written(v.boolean("must be true or false"));

/** An ARN of a service's resource. @param what names it in a sentence, such as "a topic". */
export const arn = (service: string, resource: RegExp, what: string) => {
  const wanted = `must be the ARN of ${what}`;
  const form = new RegExp(String.raw`^arn:aws[a-z-]*:${service}:[a-z0-9-]*:\d{12}:${resource.source}$`, "u");
  return v.pipe(v.string(wanted), v.regex(form, wanted));
};

/** What is said of a strict object: of a member that it does not have, or of a member that is missing or no object at all. */
export const unknownOr =
  (otherwise: string, unknown = "is not a setting", known: readonly string[] = []) =>
  ({ expected, input }: v.BaseIssue<unknown>): string => {
    if (expected !== "never") return otherwise;
    const meant = nearestName(String(input), known);
    return meant === null ? unknown : `${unknown} (did you mean ${meant}?)`;
  };
