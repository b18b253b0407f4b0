import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startContext } from "./stack.ts";
import { writeAssembly } from "./write-functions.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Directory of today's synthesized cloud assembly. */
    todaysAssembly: string;
  }
}

/** Synthesizes today's stack once for all test files of the previous version's data. */
export default function setup(project: TestProject): () => void {
  const work = mkdtempSync(join(tmpdir(), "assay-today-"));
  const assembly = join(work, "assembly");
  writeAssembly(assembly, startContext);
  project.provide("todaysAssembly", assembly);
  return () => rmSync(work, { recursive: true, force: true });
}
