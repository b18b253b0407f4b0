import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * Installs the packages of a folder that has a `package-lock.json` of its own, because few commands need them. Does nothing if they
 * were installed since that file was written.
 *
 * @throws Error with the command to run when npm fails.
 */
export const installPackages = (folder: string): void => {
  const installation = statSync(join(folder, "node_modules/.package-lock.json"), { throwIfNoEntry: false });
  if (installation !== undefined && installation.mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs) return;
  const name = relative(process.cwd(), folder);
  console.error(`Installing the packages of ${name}, once: most commands do not need them.`);
  const parameters = ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", parameters, { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`The packages of ${name} are missing. Run: npm ci --prefix ${name}`);
};
