import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PackageIdentity, writeClient } from "./write-client.ts";

/** Writes the npm package as a tarball into a directory. @returns the tarball's path. */
export const packClient = async (destination: string, identity: PackageIdentity): Promise<string> => {
  const directory = mkdtempSync(join(tmpdir(), "assay-client-"));
  try {
    await writeClient(directory, identity);
    const args = ["pack", directory, "--pack-destination", destination, "--ignore-scripts", "--loglevel=warn"];
    return join(destination, execFileSync("npm", args, { encoding: "utf8" }).trim());
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};
