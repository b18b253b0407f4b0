import { readFileSync } from "node:fs";
import { CommandError } from "./failure.ts";

/** Reads JSON of an argument: the text itself, `@file`, or `-` for standard input. @throws CommandError unless it is JSON. */
export const readJson = (argument: string): unknown => {
  const isFile = argument === "-" || argument.startsWith("@");
  const text = isFile ? readFileSync(argument === "-" ? 0 : argument.slice(1), "utf8") : argument;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`--json is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};
