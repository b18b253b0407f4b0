import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readJson } from "../../../../infra/local/host/json-file.ts";
import { openPositions } from "../../../../infra/local/mapping/stream-positions.ts";
import { eventually, temporaryDirectory } from "../../../support/service/local-fixture.ts";

const noErrors = (error: unknown): void => {
  throw error;
};

test("positions that are set before the close are known after it", () => {
  const directory = temporaryDirectory();
  const positions = openPositions(directory, noErrors);
  for (let sequence = 1; sequence <= 50; sequence += 1) positions.set("a", { sequence: String(sequence) });
  positions.set("b", { sequence: "7" });
  positions.close();

  const reopened = openPositions(directory, noErrors);

  expect(["a", "b", "c"].map((key) => reopened.get(key)?.sequence)).toEqual(["50", "7", undefined]);
});

test("a position is in its file without a close, after a write that failed too", async () => {
  const directory = join(temporaryDirectory(), "data");
  const errors: unknown[] = [];
  const positions = openPositions(directory, (error) => errors.push(error));
  // A file in the place of the directory.
  writeFileSync(directory, "");

  positions.set("a", { sequence: "1" });
  await eventually(() => (errors.length > 0 ? true : undefined));
  rmSync(directory);

  expect(await eventually(() => readJson(join(directory, "streams.json")))).toEqual({ a: { sequence: "1" } });
});
