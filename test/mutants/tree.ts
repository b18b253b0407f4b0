import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../../infra/local/repository.ts";
import type { Mutant } from "./mutant.ts";

/** A temporary copy of the sources with at most one mutant applied. */
export interface MutantTree {
  readonly root: string;
  /** Applies a mutant after reverting the previous one. */
  apply(mutant: Mutant): void;
  remove(): void;
}

/**
 * Returns a source text with a mutant's replacements.
 * @throws Error when a replaced text does not occur exactly once.
 */
export const mutated = (original: string, { file, changes, without }: Mutant): string =>
  changes.reduce((text, [from, to]) => {
    const occurrences = text.split(from).length - 1;
    if (occurrences !== 1)
      throw new Error(`${file} has a text of the mutant "${without}" ${occurrences} times instead of once.`);
    return text.replace(from, () => to);
  }, original);

export const mutantTree = (): MutantTree => {
  const root = mkdtempSync(join(tmpdir(), "assay-mutants-"));
  for (const name of ["functions", "infra", "lib", "test", "package.json", "tsconfig.json", "vitest.config.ts"])
    cpSync(join(repository, name), join(root, name), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  let original: { readonly path: string; readonly text: string } | undefined;
  return {
    root,
    apply: (mutant) => {
      if (original !== undefined) writeFileSync(original.path, original.text);
      const path = join(root, mutant.file);
      original = { path, text: readFileSync(path, "utf8") };
      writeFileSync(path, mutated(original.text, mutant));
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
};
