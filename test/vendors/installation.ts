import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Program } from "../../lib/contract/openapi/page/programs/programs.ts";

/** Versions of packages: those of a page, or the newest ones of the registry. */
export type Versions = "pinned" | "newest";

/** The packages of one page, installed in a folder of their own: another page's packages cannot complete them. */
export interface Installation {
  readonly folder: string;
  /** Packages of the page with their installed versions, spelled as on the page. */
  readonly packages: readonly string[];
}

/** Outside the repository, whose own packages programs would find. */
const cache = join(homedir(), ".cache/assay-vendors");

const run = (folder: string, command: string, ...parameters: readonly string[]): string => {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${parameters.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  return stdout;
};

/** Version separator of a package that a page names. */
const separators = { JavaScript: "@", Python: "==" } as const;

/** Name of a package, such as `autogen-ext[openai]` of `autogen-ext[openai]==0.7.5`. */
const nameOf = (item: string): string => item.replace(/(?:(?<!^)@|==).*$/u, "");

/** Path of uv, which installs as pip does, in seconds. */
const uv = (): string => {
  const folder = join(cache, "uv");
  const path = join(folder, "bin/uv");
  if (existsSync(path)) return path;
  run(cache, "python3", "-m", "venv", folder);
  run(folder, join(folder, "bin/pip"), "install", "--quiet", "uv");
  return path;
};

/** Path of the Python interpreter of an installation. */
export const pythonOf = (folder: string): string => join(folder, "venv/bin/python");

const install = {
  JavaScript: (folder: string, packages: readonly string[]) => {
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    run(folder, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages);
  },
  Python: (folder: string, packages: readonly string[]) => {
    run(folder, uv(), "venv", "--quiet", join(folder, "venv"));
    run(folder, uv(), "pip", "install", "--quiet", "--compile-bytecode", "--python", pythonOf(folder), ...packages);
  },
};

const installedVersion = {
  JavaScript: (folder: string, name: string): string =>
    (JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")) as { version: string })
      .version,
  Python: (folder: string, name: string): string =>
    run(
      folder,
      pythonOf(folder),
      "-c",
      "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))",
      name.replace(/\[.*/u, ""),
    ).trim(),
};

/**
 * Installs the packages of a page as its install line does, unless they are: the newest ones each time.
 *
 * @throws Error with the installer's output if they conflict or do not exist.
 */
export const installProgram = (
  { topic, language, packages }: Pick<Program, "topic" | "language" | "packages">,
  versions: Versions,
): Installation => {
  const folder = join(cache, versions, topic);
  const receipt = join(folder, "packages.txt");
  const wanted = versions === "pinned" ? packages : packages.map((item) => nameOf(item));
  const isInstalled =
    versions === "pinned" && existsSync(receipt) && readFileSync(receipt, "utf8") === wanted.join(" ");
  if (!isInstalled) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    install[language](folder, wanted);
    writeFileSync(receipt, wanted.join(" "));
  }
  const versionOf = installedVersion[language];
  return {
    folder,
    packages: wanted.map((item) => `${nameOf(item)}${separators[language]}${versionOf(folder, nameOf(item))}`),
  };
};
