import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join, relative } from "node:path";

/** Milliseconds to wait for another process that installs the same packages. */
const installationMs = 600_000;

/** Runs work while no other process runs it for the same folder; the operating system ends the lock with the process. */
const whileAlone = (folder: string, work: () => void): void => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const lock = new DatabaseSync(join(folder, ".installation.lock"), { timeout: installationMs });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    work();
  } finally {
    lock.close();
  }
};

const isInstalled = (folder: string): boolean => {
  const installation = statSync(join(folder, "node_modules/.package-lock.json"), { throwIfNoEntry: false });
  return installation !== undefined && installation.mtimeMs >= statSync(join(folder, "package-lock.json")).mtimeMs;
};

/**
 * Installs the packages of a folder that has a `package-lock.json` of its own, because few commands need them. Does nothing if they
 * were installed since that file was written; waits for another process that installs them.
 *
 * @param options further options of npm, such as another platform.
 * @throws Error with the command to run when npm fails.
 */
export const installPackages = (folder: string, options: readonly string[] = []): void => {
  if (isInstalled(folder)) return;
  whileAlone(folder, () => {
    if (isInstalled(folder)) return;
    const name = relative(process.cwd(), folder);
    console.error(`Installing the packages of ${name}, once: most commands do not need them.`);
    const parameters = ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...options];
    const { status } = spawnSync("npm", parameters, { stdio: ["ignore", 2, 2] });
    if (status !== 0)
      throw new Error(`The packages of ${name} are missing. Run: npm ci --prefix ${[name, ...options].join(" ")}`);
  });
};
