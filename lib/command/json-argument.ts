import { readFileSync } from "node:fs";
import { CommandError, rootCause } from "./failure.ts";

/** Reads JSON of an argument: the text itself, `@file`, or `-` for standard input. @throws CommandError unless it is readable JSON. */
export const readJson = (argument: string): unknown => {
  const isFile = argument === "-" || argument.startsWith("@");
  let text = argument;
  try {
    if (isFile) text = readFileSync(argument === "-" ? 0 : argument.slice(1), "utf8");
  } catch (error) {
    throw new CommandError(`--json ${argument} could not be read (${rootCause(error)}).`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`--json is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};
