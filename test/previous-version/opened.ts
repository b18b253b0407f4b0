import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { withIssuers } from "../../infra/local/template/issuers.ts";
import { type Assembly, readAssembly } from "../../infra/local/template/template.ts";
import { withoutExpiry } from "./assemblies.ts";
import { aboutFixture, unpackAssembly } from "./fixture-files.ts";
import type { Place } from "./people.ts";
import { jwksPlaceholder, openStack } from "./stack.ts";

/** Today's cloud assembly. */
export const todaysAssembly = (): Assembly => withIssuers(readAssembly(inject("todaysAssembly")), jwksPlaceholder, []);

/** The previous version's cloud assembly, unpacked below a directory. */
export const previousAssembly = (work: string): Assembly => {
  const directory = join(work, "previous");
  unpackAssembly(directory);
  return readAssembly(directory);
};

/** A temporary directory, removed after the test. */
export const workDirectory = (): string => {
  const work = mkdtempSync(join(tmpdir(), "assay-opened-"));
  onTestFinished(() => rmSync(work, { recursive: true, force: true, maxRetries: 5 }));
  return work;
};

interface Opening extends Omit<Parameters<typeof openStack>[0], "ahead" | "schedulerClock"> {
  /** Milliseconds since the end of the recorded data; default 0. */
  readonly later?: number;
  /** True if schedules fire. */
  readonly schedules?: boolean;
}

/** Opens the fixture's data with a clock set shortly after its end. */
export const openAsLeft = async ({ later = 0, schedules = false, assembly, ...options }: Opening): Promise<Place> => {
  mkdirSync(options.directory, { recursive: true });
  const ahead = aboutFixture().writtenAt + later - Date.now();
  return openStack({
    ...options,
    ahead,
    assembly: withoutExpiry(assembly),
    schedulerClock: () => (schedules ? Date.now() + ahead : 0),
  });
};
