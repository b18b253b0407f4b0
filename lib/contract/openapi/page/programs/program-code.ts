import { pageFile } from "../page-files.ts";
import type { Program } from "./program.ts";

/** Adds the code of their files to programs. @param files path of a program's file, with `*` for its topic. */
export const withCode = (
  files: `${string}*${string}`,
  programs: readonly Omit<Program, "code">[],
): readonly Program[] =>
  programs.map((program) => ({ ...program, code: pageFile(files.replace("*", program.topic)).trimEnd() }));
