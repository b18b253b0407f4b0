import { filePrefix } from "../../lib/wiring/json-setting.ts";

/** Value of an environment variable: text, or an object or list that is stored as JSON. */
export type EnvironmentValue = string | Readonly<Record<string, unknown>> | readonly unknown[];

/** Longest JSON in a variable, in bytes: a quarter of Lambda's limit for all variables. */
const maxVariableBytes = 1_000;

const fileOf = (variable: string): string => `${variable.toLowerCase().replaceAll("_", "-")}.json`;

/** Splits values into environment variables and bundle files: JSON that is too long for a variable becomes a file, and the variable names the file. */
export const splitEnvironment = (values: Readonly<Record<string, EnvironmentValue>>) => {
  const entries = Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return {
      name,
      text,
      file: typeof value !== "string" && Buffer.byteLength(text) > maxVariableBytes ? fileOf(name) : null,
    };
  });
  return {
    variables: Object.fromEntries(
      entries.map(({ name, text, file }) => [name, file === null ? text : filePrefix + file]),
    ),
    files: Object.fromEntries(entries.flatMap(({ text, file }) => (file === null ? [] : [[file, text]]))),
  };
};
