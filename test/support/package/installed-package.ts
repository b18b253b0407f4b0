import { execFile, type ExecFileException } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "../../../infra/local/repository.ts";
import { packClient } from "../../../infra/package/client/npm-pack.ts";

/** Result of a process. */
interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The npm package, installed from its tarball into a folder with nothing else. */
export interface InstalledPackage {
  readonly folder: string;
  readonly tarball: string;
  /** Runs Node.js in the folder with no variables but those that are given. */
  readonly run: (args: readonly string[], variables?: Readonly<Record<string, string>>) => Promise<Finished>;
  /** Runs the command line. */
  readonly assay: (args: readonly string[], variables?: Readonly<Record<string, string>>) => Promise<Finished>;
  /** Makes the packages of OpenTelemetry importable, as a program that uses `assay/otel` installs them. */
  readonly addPeers: () => void;
  readonly remove: () => void;
}

/** Program of the package's page. */
export const pageProgram =
  /```js\n(?<program>[\s\S]*?)```/u.exec(readFileSync(join(repository, "infra/package/client/README.md"), "utf8"))
    ?.groups?.["program"] ?? "";

/** Path of the command line in the folder. */
export const commandLine = "node_modules/assay/cli/main.js";

/** Packs the package and installs it, without a network. @param node program that runs it. */
export const installPackage = async (node: string = process.execPath): Promise<InstalledPackage> => {
  const folder = mkdtempSync(join(tmpdir(), "assay-package-"));
  const tarballs = join(folder, "tarballs");
  mkdirSync(tarballs);
  const tarball = await packClient(tarballs, { name: "assay", repositoryUrl: null });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await promisify(execFile)("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder });
  const run: InstalledPackage["run"] = (args, variables = {}) =>
    new Promise((resolve) => {
      const env = { PATH: process.env["PATH"], XDG_CONFIG_HOME: join(folder, "config"), ...variables };
      const done = (error: ExecFileException | null, stdout: string, stderr: string): void =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      execFile(node, args, { cwd: folder, env }, done).stdin?.end();
    });
  return {
    folder,
    tarball,
    run,
    assay: (args, variables) => run([commandLine, ...args], variables),
    addPeers: () => {
      const name = "node_modules/@opentelemetry";
      symlinkSync(join(repository, name), join(folder, name));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
