import type { Metafile } from "esbuild";
import { repository } from "../repository.ts";

/** Bundles entry points, paths from the repository's root, in memory, without packages. @returns what the bundles consist of and import. */
export const bundleMetafile = async (entryPoints: readonly string[]): Promise<Metafile> => {
  const { build } = await import("esbuild");
  const { metafile } = await build({
    entryPoints: [...entryPoints],
    absWorkingDir: repository,
    outdir: "unwritten",
    write: false,
    metafile: true,
    bundle: true,
    // What several entry points share is printed once instead of once for each.
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  return metafile;
};
