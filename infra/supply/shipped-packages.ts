import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

const dependencyRanges = v.optional(v.record(v.string(), v.string()), {});

const platforms = v.union([v.string(), v.array(v.string())]);

const lockEntry = v.object({
  version: v.optional(v.string(), ""),
  license: v.optional(v.string()),
  integrity: v.optional(v.string()),
  dependencies: dependencyRanges,
  optionalDependencies: dependencyRanges,
  os: v.optional(platforms, ["linux"]),
  cpu: v.optional(platforms, ["arm64"]),
  libc: v.optional(platforms, ["glibc"]),
});

const lock = v.object({ packages: v.record(v.string(), lockEntry) });

/** An npm package, such as those that the functions' bundles can contain. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression from the lock file; undefined if none is declared. */
  readonly license: string | undefined;
  /** Integrity hash of the package, `sha512-` and base64. */
  readonly integrity: string | undefined;
  /** Install directory, relative to the repository. */
  readonly installPath: string;
}

const lockedPackages = (repository: string) =>
  v.parse(lock, JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8"))).packages;

/** True if a package is for the machines of functions, as one without native programs is. */
const isForFunctions = ({ os, cpu, libc }: v.InferOutput<typeof lockEntry>): boolean =>
  os.includes("linux") && cpu.includes("arm64") && libc.includes("glibc");

/** Returns a package of the repository by its name. @throws Error if the lock file does not have it. */
export const installedPackage = (repository: string, name: string): ShippedPackage => {
  const installPath = `node_modules/${name}`;
  const entry = lockedPackages(repository)[installPath];
  if (entry === undefined) throw new Error(`package-lock.json has no ${name}.`);
  const { version, license, integrity } = entry;
  return { name, version, license, integrity, installPath };
};

/**
 * Lists the runtime dependencies with their transitive dependencies, from the lock file. npm's own list omits packages that are
 * development dependencies as well.
 */
export const shippedPackages = (repository: string): readonly ShippedPackage[] => {
  const packages = lockedPackages(repository);
  const packagesByPath = new Map<string, ShippedPackage>();

  /** Resolves a dependency as Node does: in the package's own `node_modules`, or in one further up. */
  const installPathOf = (from: string, name: string): string => {
    const installPath = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
    if (packages[installPath] !== undefined || from === "") return installPath;
    return installPathOf(from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))), name);
  };
  const add = (from: string, dependencyNames: readonly string[]): void => {
    for (const name of dependencyNames) {
      const installPath = installPathOf(from, name);
      const entry = packages[installPath];
      if (entry === undefined || packagesByPath.has(installPath) || !isForFunctions(entry)) continue;
      const { version, license, integrity, dependencies, optionalDependencies } = entry;
      packagesByPath.set(installPath, { name, version, license, integrity, installPath });
      add(installPath, Object.keys({ ...dependencies, ...optionalDependencies }));
    }
  };
  add("", Object.keys(packages[""]?.dependencies ?? {}));
  return [...packagesByPath.values()];
};
