/**
 * Writes the fixture of the version it lies in: the directory that `npm start` leaves after some months of use, the same items for any
 * engine, what everybody can read of them over HTTP, and the version's functions.
 *
 * Run it in a checkout of a version that is released, once: `node test/previous-version/write.ts`. The next version's tests
 * open what it wrote. A fixture is never made again for a version that lies behind: what later code writes is not what
 * that version wrote.
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
