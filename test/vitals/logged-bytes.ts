import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const logsOf = (directory: string, functions: RegExp): readonly string[] => {
  const logs = join(directory, "logs");
  return readdirSync(logs)
    .filter((file) => functions.test(file))
    .map((file) => join(logs, file));
};

/** Bytes that the functions of a service have logged so far, by a pattern of their names. */
export const loggedBytes = (directory: string, functions: RegExp): number =>
  logsOf(directory, functions).reduce((sum, file) => sum + statSync(file).size, 0);

/** Mean bytes of a logged line that contains a text. @throws Error if there is no such line. */
export const meanLineBytes = (directory: string, functions: RegExp, text: string): number => {
  const lines = logsOf(directory, functions).flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const sizes = lines.filter((line) => line.includes(text)).map((line) => Buffer.byteLength(line) + 1);
  if (sizes.length === 0) throw new Error(`No line of ${functions} contains ${text}.`);
  return sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
};
