import type { BuildOptions } from "esbuild";
import type { Build } from "./build/build-cache.ts";
import { type BuildSources, contentKey } from "./build/content-key.ts";
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

/** @param form `bundles`: one file per function, as deployed; `shared`: files of shared code, faster to build */
const handlersBuild = (name: string, form: "bundles" | "shared"): Build => ({
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
      form === "bundles" ? bundleBuilds(directories, consoleFiles) : [unsigned(sharedBuild(directories, consoleFiles))];
    await Promise.all(builds.map(build));
    await stop();
  },
});

/** The esbuild bundles of all Lambda handlers, as they are deployed. Tests of restarts, kills and time-outs run them, and of the bundles themselves. */
export const handlerBundles = handlersBuild("handlers", "bundles");

/** All Lambda handlers for `npm start` and most tests of the interface. */
export const sharedHandlers = handlersBuild("shared-handlers", "shared");
