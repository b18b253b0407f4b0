import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { repository } from "../../infra/local/repository.ts";

/**
 * Runs tests one file at a time and returns the CPU seconds of folders and files as text.
 *
 * @param filters parts of the files' paths; all tests without any.
 * @throws Error when the tests did not run; failed ones are named in the text.
 */
export const testCpu = async (filters: readonly string[]): Promise<string> => {
  const reporter = `--reporter=${join(import.meta.dirname, "cpu-reporter.ts")}`;
  const parameters = ["node_modules/vitest/vitest.mjs", "run", "--no-file-parallelism", reporter, ...filters];
  const child = spawn(process.execPath, parameters, { cwd: repository, stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (!output.includes("| folder |")) throw new Error(`The tests did not run: ${output.slice(-2_000)}`);
  return output.trim();
};
