import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openBuildCache } from "../../infra/local/build/build-cache.ts";
import { synthesizeForDevelopment } from "../../infra/local/synth.ts";
import { sharedBuilds } from "../support/service/shared-builds.ts";
import { jwksPlaceholder, startContext } from "./stack.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Directory of today's synthesized cloud assembly, beside that of its handlers. */
    todaysAssembly: string;
  }
}

/** Provides today's stack as `npm start` synthesizes it, from the builds that the tests share. */
export default async function setup(project: TestProject): Promise<() => void> {
  const work = mkdtempSync(join(tmpdir(), "assay-today-"));
  const { judgeModel, embeddingModel, limitFactor } = startContext;
  const settings = { judgeModel, embeddingModel, limitFactor, jwksUri: jwksPlaceholder };
  await synthesizeForDevelopment(work, settings, openBuildCache(sharedBuilds));
  project.provide("todaysAssembly", join(work, "cdk.out"));
  return () => rmSync(work, { recursive: true, force: true });
}
