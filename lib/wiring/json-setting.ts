import { readFileSync } from "node:fs";

/** Begins the value of a variable whose setting lies beside the bundle, because Lambda's environment has 4 KB in all. */
export const besideTheBundle = "file:";

/**
 * A setting that is written as JSON: in the variable, or in the file beside the bundle that the variable names.
 *
 * @returns undefined when the variable is missing or empty.
 * @throws Error when the file is missing or the text is not JSON: a function that is configured wrong must not start.
 */
export const jsonSetting = (
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): unknown => {
  const value = environment[name];
  if (value === undefined || value === "") return undefined;
  if (!value.startsWith(besideTheBundle)) return JSON.parse(value);
  return JSON.parse(readFileSync(new URL(value.slice(besideTheBundle.length), import.meta.url), "utf8"));
};
