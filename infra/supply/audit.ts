/**
 * Entry point of `npm run audit`: prints the known vulnerabilities of the installed packages, and fails if a shipped one has any.
 * Without a registry that has advisories it says so, and succeeds.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readAudit } from "./audit-report.ts";
import { shippedPackages } from "./shipped-packages.ts";

const repository = join(import.meta.dirname, "../..");
const parameters = ["audit", "--json", "--fetch-retries=0", "--fetch-timeout=20000"];
const { stdout } = spawnSync("npm", parameters, {
  cwd: repository,
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
const shippedPaths = new Set(shippedPackages(repository).map(({ installPath }) => installPath));
const { lines, isShippedVulnerable } = readAudit(stdout, shippedPaths);
console.log(lines.join("\n"));
if (isShippedVulnerable) process.exitCode = 1;
