import type { Build } from "./build/build-cache.ts";
import { type BuildSources, contentKey } from "./build/content-key.ts";
import { repository } from "./repository.ts";

/** Everything that is bundled. The second lock is npm's own: it says what is installed, not what should be. */
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

/** The bundles of all handlers, which no setting changes: the longest part of a synthesis. */
export const handlerBundles: Build = {
  name: "handlers",
  key: () => contentKey(handlerSources),
  make: async (directory) => {
    const [{ build, stop }, { bundlingOf, ownHandlers }] = await Promise.all([
      import("esbuild"),
      import("../functions/bundles.ts"),
    ]);
    await build(bundlingOf(ownHandlers(directory)));
    await stop();
  },
};
