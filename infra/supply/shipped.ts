import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

const names = v.optional(v.record(v.string(), v.string()), {});

const locked = v.object({
  version: v.optional(v.string(), ""),
  license: v.optional(v.string()),
  integrity: v.optional(v.string()),
  dependencies: names,
  optionalDependencies: names,
});

const lock = v.object({ packages: v.record(v.string(), locked) });

/** A package that functions are bundled from. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** As npm writes it, an SPDX expression; undefined when none is declared. */
  readonly license: string | undefined;
  /** `sha512-...` in base64. */
  readonly integrity: string | undefined;
  /** Where it is installed, below the repository. */
  readonly place: string;
}

/**
 * What functions are bundled from: the runtime dependencies and all of theirs, as the lock has them. npm's own list leaves out
 * what a development dependency needs too.
 */
export const shippedPackages = (repository: string): readonly ShippedPackage[] => {
  const { packages } = v.parse(lock, JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")));
  const found = new Map<string, ShippedPackage>();

  /** Where a package finds a dependency: beside it, or further up. */
  const placeOf = (from: string, name: string): string => {
    const place = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
    if (packages[place] !== undefined || from === "") return place;
    return placeOf(from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))), name);
  };
  const add = (from: string, needed: readonly string[]): void => {
    for (const name of needed) {
      const place = placeOf(from, name);
      const entry = packages[place];
      if (entry === undefined || found.has(place)) continue;
      const { version, license, integrity, dependencies, optionalDependencies } = entry;
      found.set(place, { name, version, license, integrity, place });
      add(place, Object.keys({ ...dependencies, ...optionalDependencies }));
    }
  };
  add("", Object.keys(packages[""]?.dependencies ?? {}));
  return [...found.values()];
};
