/**
 * Entry point of `npm run release:client -- [--dry-run]`: publishes the npm package of a tagged commit from GitHub's CI, with provenance.
 * It reads `NODE_AUTH_TOKEN`, the npm token of the owner, and `ASSAY_PACKAGE_NAME`, by default `assay`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageFile from "../../../package.json" with { type: "json" };
import { failureSentence, parseCommandLine } from "../../command-line.ts";
import { packClient } from "./npm-pack.ts";
import { releaseFault } from "./release-fault.ts";

const directory = mkdtempSync(join(tmpdir(), "assay-release-"));
try {
  const { values } = parseCommandLine({ "dry-run": { type: "boolean", default: false } });
  const { env } = process;
  const fault = releaseFault(env, packageFile.version);
  if (fault !== null) throw new Error(fault);
  const name = env["ASSAY_PACKAGE_NAME"] || "assay";
  const repositoryUrl = `${env["GITHUB_SERVER_URL"]}/${env["GITHUB_REPOSITORY"]}`;
  const tarball = await packClient(directory, { name, repositoryUrl });
  // The token stays in the environment: npm reads it through this file.
  const settings = join(directory, "npmrc");
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  writeFileSync(settings, `${registry.replace(/^https?:/u, "")}:_authToken=\${NODE_AUTH_TOKEN}\n`);
  const tag = packageFile.version.includes("-") ? "next" : "latest";
  const args = ["publish", tarball, "--provenance", "--access=public", `--tag=${tag}`, `--userconfig=${settings}`];
  execFileSync("npm", [...args, ...(values["dry-run"] ? ["--dry-run"] : [])], { stdio: "inherit" });
} catch (error) {
  console.error(failureSentence(error));
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
