import { spawnSync } from "node:child_process";

/** Environment without git's own variables: within a hook they would name another repository. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));

/** Runs git in a directory. @returns its output; null if it fails or is not installed. */
export const git = (directory: string, ...args: readonly string[]): string | null => {
  const { status, stdout } = spawnSync("git", args, {
    cwd: directory,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
};
