import { expect, test } from "vitest";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { tableStream } from "../../support/database/table-stream.ts";
import { runLake } from "./schedule.ts";

const database = quietDatabase({ streams: true });

test("writers of a day that fail, die and overtake each other while its traces change violate nothing", async () => {
  const streams = { rows: await tableStream(database(), "rows"), scores: await tableStream(database(), "scores") };
  const violations: string[] = [];
  for (const seed of [1, 2])
    violations.push(
      ...(await runLake(database(), streams, seed)).violations.map((violation) => `seed ${seed}: ${violation}`),
    );

  expect(violations).toEqual([]);
});
