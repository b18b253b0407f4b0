/** Entry point of `npm run pack:cdk`: writes the package `assay-cdk` as a tarball into the current directory. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handlerBundles } from "../local/handler-bundles.ts";
import { writePackage } from "./write-package.ts";

const directory = mkdtempSync(join(tmpdir(), "assay-cdk-"));
try {
  await writePackage(directory, (handlers) => handlerBundles.make(handlers));
  execFileSync("npm", ["pack", directory, "--ignore-scripts", "--loglevel=warn"], { stdio: "inherit" });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
