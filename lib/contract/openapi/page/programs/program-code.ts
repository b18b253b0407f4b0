import { globSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import type { Program } from "./program.ts";

/** Code of the programs by topic, inserted when the handlers are bundled: a bundle has no files to read. */
declare const PROGRAM_CODE: Readonly<Record<string, string>>;

const readPrograms = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    globSync("*/*.{mjs,py}", { cwd: import.meta.dirname }).map((path) => [
      parse(path).name,
      readFileSync(join(import.meta.dirname, path), "utf8").trimEnd(),
    ]),
  );

/** Code of the sample programs by topic, which is the name of a program's file in the folder of its language. */
export const programCode = typeof PROGRAM_CODE === "undefined" ? readPrograms() : PROGRAM_CODE;

/** Adds the code of their files to programs. @throws Error if a program has no file. */
export const withCode = (programs: readonly Omit<Program, "code">[]): readonly Program[] =>
  programs.map((program) => {
    const code = programCode[program.topic];
    if (code === undefined) throw new Error(`No folder of a language has a file of the program ${program.topic}.`);
    return { ...program, code };
  });
