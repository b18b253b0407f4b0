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
    "package-lock.json",
    "node_modules/.package-lock.json",
    "tsconfig.json",
  ],
};

/** The esbuild bundles of all Lambda handlers. Cached apart from the synthesis, because no setting changes them. */
export const handlerBundles: Build = {
  name: "handlers",
  key: () => contentKey(handlerSources),
  make: async (directory) => {
    const [{ build, stop }, { bundleBuilds, serviceHandlers }] = await Promise.all([
      import("esbuild"),
      import("../functions/bundles.ts"),
    ]);
    await Promise.all(bundleBuilds(serviceHandlers(directory)).map(build));
    await stop();
  },
};
