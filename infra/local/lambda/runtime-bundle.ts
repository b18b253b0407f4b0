import { join } from "node:path";
import type { Build, BuildCache } from "../build/build-cache.ts";
import { type BuildSources, contentKey } from "../build/content-key.ts";
import { repository } from "../repository.ts";

const sources: BuildSources = {
  root: repository,
  folders: ["infra/local/lambda", "infra/local/iam"],
  files: [
    "infra/local/host/as-text.ts",
    "infra/local/template/arn.ts",
    "package-lock.json",
    "node_modules/.package-lock.json",
  ],
};

const runtime: Build = {
  name: "lambda-runtime",
  key: () => contentKey(sources),
  make: async (directory) => {
    const { build, stop } = await import("esbuild");
    await build({
      entryPoints: ["runtime.ts", "shared-runtime.ts"].map((program) => join(import.meta.dirname, program)),
      outdir: directory,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node24",
      logLevel: "error",
    });
    await stop();
  },
};

/** Paths of the programs that run in sandboxes. */
export interface RuntimePrograms {
  /** Program of a thread or process that is one sandbox. */
  readonly single: string;
  /** Program of a thread with several sandboxes. */
  readonly shared: string;
}

/** Builds each program that runs in sandboxes into one file, because loading several TypeScript files would slow down each start. */
export const runtimePrograms = async (directory: string, builds: BuildCache): Promise<RuntimePrograms> => {
  const output = join(directory, runtime.name);
  await builds.provide(runtime, output);
  return { single: join(output, "runtime.mjs"), shared: join(output, "shared-runtime.mjs") };
};
