import { expect, test } from "vitest";
import { isolatedPass } from "../../../lib/maintenance/isolated-pass.ts";
import type { Reconciliation } from "../../../lib/maintenance/reconcile-access.ts";
import { publishedLines } from "../../support/published-lines.ts";

const reconciliation: Reconciliation = { pages: 1, repaired: 2, failed: 0, left: false, failures: [] };

test("a pass that fails is logged, and its worker continues", async () => {
  const { lines, result } = await publishedLines(() =>
    isolatedPass(() => Promise.reject(new RangeError("no table")))(100_000),
  );

  await expect(result).resolves.toBeUndefined();
  expect(lines).toMatchObject([{ event: "reconciliation_failed", FailedItems: 1, fault: "RangeError" }]);
});

test("a pass with failed parts counts them, and a pass without failures counts nothing", async () => {
  const failing = { ...reconciliation, failed: 3, failures: [new RangeError("odd")] };
  const { lines } = await publishedLines(async () => {
    await isolatedPass(async () => failing)(100_000);
    await isolatedPass(async () => reconciliation)(100_000);
  });

  expect(lines).toMatchObject([{ event: "reconciliation_failed", FailedItems: 3, fault: "RangeError" }]);
});

test("a pass that never ends does not use up its worker's time", async () => {
  const { promise: never } = Promise.withResolvers<Reconciliation>();
  const { lines, result } = await publishedLines(() => isolatedPass(() => never)(5_020));

  await expect(result).resolves.toBeUndefined();
  expect(lines).toMatchObject([{ event: "reconciliation_failed", FailedItems: 1 }]);
});

test.each([
  [120_000, 60_000],
  [100_000, 55_000],
  [45_000, 0],
])("of a worker's %d ms, a pass may start items for %d ms", async (remaining, expected) => {
  const visits: number[] = [];
  const { result } = await publishedLines(() =>
    isolatedPass(
      async (until) => {
        visits.push(until);
        return reconciliation;
      },
      () => 0,
    )(remaining),
  );
  await result;

  expect(visits).toEqual([expected]);
});
