import { readFileSync } from "node:fs";
import { join } from "node:path";

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
  // Lambda's directory of the function bundle. The code that runs may lie in a file elsewhere.
  const directory = environment["LAMBDA_TASK_ROOT"] ?? "";
  return JSON.parse(readFileSync(join(directory, value.slice(filePrefix.length)), "utf8"));
};
