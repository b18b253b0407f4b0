import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions } from "esbuild";
import type { Build } from "./build/build-cache.ts";
import { type BuildSources, contentKey } from "./build/content-key.ts";
import { filesBelow } from "./build/files-below.ts";
import { repository } from "./repository.ts";

/** Sources that the handler bundles are built from. `node_modules/.package-lock.json` lists the packages that npm installed. */
export const handlerSources: BuildSources = {
  root: repository,
  folders: ["lib", "functions"],
  files: [
    "infra/functions/bundles.ts",
    "infra/functions/console-page.ts",
    "infra/functions/lambda-credentials.ts",
    "infra/functions/node-http.ts",
    "infra/local/handler-bundles.ts",
    "infra/local/lambda/unsigned-requests.ts",
    "package-lock.json",
    "node_modules/.package-lock.json",
    "tsconfig.json",
  ],
};

/** Leaves out the signatures of requests to AWS, a fifth of a handler's computing time, which the local services do not check. */
const unsigned = (options: BuildOptions): BuildOptions => ({
  ...options,
  alias: { ...options.alias, "@smithy/signature-v4": "./infra/local/lambda/unsigned-requests.ts" },
});

/**
 * @param form `bundles`: one file per function, as deployed; `shared`: files of shared code, faster to build
 * @param debugOptions esbuild options of a build for a debugger
 */
const handlersBuild = (name: string, form: "bundles" | "shared", debugOptions: BuildOptions = {}): Build => ({
  name,
  key: () => contentKey(handlerSources),
  make: async (directory) => {
    const [{ build, stop }, { bundleBuilds, serviceHandlers, sharedBuild }, { buildConsole }] = await Promise.all([
      import("esbuild"),
      import("../functions/bundles.ts"),
      import("../functions/console-page.ts"),
    ]);
    const directories = serviceHandlers(directory);
    const consoleFiles = await buildConsole();
    const builds =
      form === "bundles"
        ? bundleBuilds(directories, consoleFiles)
        : [{ ...unsigned(sharedBuild(directories, consoleFiles)), ...debugOptions }];
    await Promise.all(builds.map(build));
    await stop();
  },
});

/** The esbuild bundles of all Lambda handlers, as they are deployed. Tests of restarts, kills and time-outs run them, and of the bundles themselves. */
export const handlerBundles = handlersBuild("handlers", "bundles");

/** All Lambda handlers for `npm start` and most tests of the interface. */
export const sharedHandlers = handlersBuild("shared-handlers", "shared");

/** Names the sources of all source maps by absolute URLs, because a build is used at another place than it was made. */
const nameSourcesByUrl = (directory: string): void => {
  for (const file of filesBelow(directory).filter((name) => name.endsWith(".map"))) {
    const path = join(directory, file);
    const map = JSON.parse(readFileSync(path, "utf8")) as { readonly sources: readonly string[] };
    const sources = map.sources.map((source) => pathToFileURL(join(dirname(path), source)).href);
    writeFileSync(path, JSON.stringify({ ...map, sources }));
  }
};

const mappedHandlers = handlersBuild("debug-handlers", "shared", { minify: false, sourcemap: true });

/** The shared handlers with readable names and source maps, so that a debugger stops in the sources. */
export const debugHandlers: Build = {
  ...mappedHandlers,
  make: async (directory) => {
    await mappedHandlers.make(directory);
    nameSourcesByUrl(directory);
  },
};
