import { readFileSync } from "node:fs";

/** Prefix of a variable that names a file in the function bundle instead of the setting, because Lambda's environment is limited to 4 KB. */
export const filePrefix = "file:";

/**
 * Reads a JSON setting from an environment variable, or from the bundled file that the variable names.
 *
 * @returns the parsed JSON; undefined if the variable is missing or empty.
 * @throws Error if the file is missing or the text is not JSON: a misconfigured function must not start.
 */
export const jsonSetting = (
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): unknown => {
  const value = environment[name];
  if (value === undefined || value === "") return undefined;
  if (!value.startsWith(filePrefix)) return JSON.parse(value);
  return JSON.parse(readFileSync(new URL(value.slice(filePrefix.length), import.meta.url), "utf8"));
};
