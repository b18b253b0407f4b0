import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The one platform that dynoxide has a program for. It is linked statically, so any C library will do. */
export const dynoxidePlatform = "linux-x64";

/**
 * SHA-256 of the program by platform, for the version in `package.json`. A platform without a sum has no program here: it runs AWS's
 * DynamoDB Local, of which only npm's integrity is checked, when it is installed.
 */
export const programSums: Readonly<Record<string, string>> = {
  [dynoxidePlatform]: "be909b7910d3fb552e85db10ef3c8ebae4bd35fee0f26dffdb6dfa5cc656426e",
};

/** Returns the name of dynoxide's package for a platform. */
export const dynoxidePackage = (platform: string): string => `@dynoxide/${platform}`;

/**
 * Returns the path of the dynoxide program; undefined when it is not installed or not available for the platform.
 *
 * @param resolve returns the path of a file of a package
 * @throws Error if the program was changed after its installation, which npm does not notice.
 */
export const dynoxideProgram = (
  platform = `${process.platform}-${process.arch}`,
  resolve: (file: string) => string = createRequire(import.meta.url).resolve,
): string | undefined => {
  const sum = programSums[platform];
  if (sum === undefined) return undefined;
  let path: string;
  try {
    path = join(dirname(resolve(`${dynoxidePackage(platform)}/package.json`)), "dynoxide");
  } catch {
    return undefined;
  }
  if (!existsSync(path)) return undefined;
  if (createHash("sha256").update(readFileSync(path)).digest("hex") !== sum)
    throw new Error(`${path} is not the program that package-lock.json names, by its SHA-256: run npm ci.`);
  return path;
};
