import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { object, parse, string } from "valibot";
import { withFileLock } from "../../../infra/local/host/file-lock.ts";

const execute = promisify(execFile);
const packages = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const unpack = 'import packed from "@sparticuz/chromium"; await packed.executablePath();';

/**
 * Path of the packaged browser's executable, unpacked once for all processes. The package itself would unpack to one
 * path for the whole machine, and would accept a file that another process has half written.
 */
export const packedBrowser = async (directory = join(packages, ".cache", "browser")): Promise<string> => {
  const description: unknown = JSON.parse(readFileSync(join(packages, "@sparticuz/chromium/package.json"), "utf8"));
  const { version } = parse(object({ version: string() }), description);
  const unpacked = join(directory, version);
  const program = join(unpacked, "chromium");
  if (existsSync(program)) return program;
  mkdirSync(directory, { recursive: true });
  await withFileLock(join(directory, "lock"), async () => {
    if (existsSync(program)) return;
    const making = mkdtempSync(join(directory, "unfinished-"));
    const options = { cwd: packages, env: { ...process.env, TMPDIR: making } };
    await execute(process.execPath, ["--input-type=module", "--eval", unpack], options);
    renameSync(making, unpacked);
  });
  return program;
};
