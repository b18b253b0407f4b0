import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The one platform that dynoxide has a program for. It is linked statically, so any C library will do. */
export const dynoxidePlatform = "linux-x64";

/** Returns the path of the dynoxide program; undefined when it is not installed or not available for the platform. */
export const dynoxideProgram = (platform = `${process.platform}-${process.arch}`): string | undefined => {
  try {
    const manifest = createRequire(import.meta.url).resolve(`@dynoxide/${platform}/package.json`);
    const path = join(dirname(manifest), "dynoxide");
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
};
