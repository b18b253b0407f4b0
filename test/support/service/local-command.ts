import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { repository } from "../../../infra/local/repository.ts";

/** Exit code and output of a command. */
export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const execute = promisify(execFile);

/** Runs a program of `infra/local` on a data directory. */
export const runLocalCommand = async (
  file: string,
  directory: string,
  ...flags: readonly string[]
): Promise<CommandResult> => {
  const env = { ...process.env, ASSAY_LOCAL_DIR: directory };
  try {
    return {
      status: 0,
      ...(await execute(process.execPath, [`infra/local/${file}`, ...flags], { cwd: repository, env })),
    };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr };
  }
};
