import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Build, BuildCache } from "../build/build-cache.ts";
import { type BuildSources, contentKey } from "../build/content-key.ts";
import { repository } from "../repository.ts";

const sources: BuildSources = {
  root: repository,
  folders: ["infra/local/lambda"],
  files: ["package-lock.json", "node_modules/.package-lock.json"],
};

const program = "runtime.mjs";

const runtime: Build = {
  name: "lambda-runtime",
  key: () => contentKey(sources),
  make: async (directory) => {
    const { build, stop } = await import("esbuild");
    await build({
      entryPoints: [fileURLToPath(new URL("runtime.ts", import.meta.url))],
      outfile: join(directory, program),
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node24",
      logLevel: "error",
    });
    await stop();
  },
};

/**
 * Builds the program that runs in every sandbox into one file, because loading several TypeScript files would slow down each start.
 *
 * @returns path of the program
 */
export const runtimeBundle = async (directory: string, builds: BuildCache): Promise<string> => {
  const output = join(directory, runtime.name);
  await builds.provide(runtime, output);
  return join(output, program);
};
