/**
 * Writes the fixture of the version in which it runs: the data directory of `npm start` after some months of use, the
 * same items for any engine, all readable replies over HTTP, and the version's functions. Run it once in a checkout of
 * a released version: `node test/previous-version/write.ts`. The next version's tests open the fixture. Never write it
 * again for an earlier version, as later code would not write the same data.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeJudge } from "../support/runs/fake-judge.ts";
import { writeFixture } from "./write-fixture.ts";
import { writeHistory } from "./write-history.ts";

const work = mkdtempSync(join(tmpdir(), "assay-previous-"));
const judge = await startFakeJudge();
try {
  const directory = join(work, "data");
  mkdirSync(directory);
  writeFixture(directory, await writeHistory(work, directory, judge));
} finally {
  await judge.close();
  rmSync(work, { recursive: true, force: true });
}
