import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { type Assembly, readAssembly } from "../../infra/local/template/template.ts";
import { withoutExpiry } from "./assemblies.ts";
import { aboutFixture, unpackAssembly } from "./fixture-files.ts";
import type { Place } from "./people.ts";
import { openStack } from "./stack.ts";

/** Today's stack. */
export const todaysAssembly = (): Assembly => readAssembly(inject("todaysAssembly"));

/** The previous version's stack, unpacked below a directory. */
export const previousAssembly = (work: string): Assembly => {
  const directory = join(work, "previous");
  unpackAssembly(directory);
  return readAssembly(directory);
};

/** A directory that is gone after the test. */
export const workDirectory = (): string => {
  const work = mkdtempSync(join(tmpdir(), "assay-opened-"));
  onTestFinished(() => rmSync(work, { recursive: true, force: true, maxRetries: 5 }));
  return work;
};

interface Opening extends Omit<Parameters<typeof openStack>[0], "ahead" | "schedulerClock"> {
  /** Milliseconds since the data was left; none when absent. */
  readonly later?: number;
  /** Whether schedules fire. */
  readonly schedules?: boolean;
}

/** Opens data of the fixture at an hour soon after it was left, whenever that was. */
export const openAsLeft = async ({ later = 0, schedules = false, assembly, ...given }: Opening): Promise<Place> => {
  mkdirSync(given.directory, { recursive: true });
  const ahead = aboutFixture().writtenAt + later - Date.now();
  return openStack({
    ...given,
    ahead,
    assembly: withoutExpiry(assembly),
    schedulerClock: () => (schedules ? Date.now() + ahead : 0),
  });
};
