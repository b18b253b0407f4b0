import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildCache } from "../build/build-cache.ts";
import { type BuildSources, contentKey } from "../build/content-key.ts";
import { repository } from "../repository.ts";

const name = "lambda-runtime";

const sources: BuildSources = {
  root: repository,
  folders: ["infra/local/lambda"],
  files: ["package-lock.json", "node_modules/.package-lock.json"],
};

const build = async (outfile: string): Promise<void> => {
  const { build, stop } = await import("esbuild");
  await build({
    entryPoints: [fileURLToPath(new URL("runtime.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "error",
  });
  await stop();
};

/**
 * The program that runs in every sandbox, as one file: stripping its types in each of them would cost each its start.
 *
 * @returns its path, below the directory.
 */
export const runtimeBundle = async (directory: string, builds: BuildCache): Promise<string> => {
  const output = join(directory, name);
  await builds.provide(
    () => `${name}-${contentKey(sources)}`,
    output,
    (into) => build(join(into, "runtime.mjs")),
  );
  return join(output, "runtime.mjs");
};
