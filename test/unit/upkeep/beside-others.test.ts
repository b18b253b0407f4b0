import { expect, test } from "vitest";
import { besideOthers } from "../../../lib/upkeep/beside-others.ts";
import type { Reconciliation } from "../../../lib/upkeep/reconcile-access.ts";
import { publishedLines } from "../../support/published-lines.ts";

const done: Reconciliation = { pages: 1, repaired: 2, failed: 0, left: false, failures: [] };

test("a pass that fails is told of, and its worker goes on", async () => {
  const { lines, result } = await publishedLines(() =>
    besideOthers(() => Promise.reject(new RangeError("no table")))(100_000),
  );

  await expect(result).resolves.toBeUndefined();
  expect(lines).toMatchObject([{ event: "reconciliation_failed", FailedItems: 1, fault: "RangeError" }]);
});

test("a pass of which parts fail counts them, and one without counts nothing", async () => {
  const failing = { ...done, failed: 3, failures: [new RangeError("odd")] };
  const { lines } = await publishedLines(async () => {
    await besideOthers(async () => failing)(100_000);
    await besideOthers(async () => done)(100_000);
  });

  expect(lines).toMatchObject([{ event: "reconciliation_failed", FailedItems: 3, fault: "RangeError" }]);
});

test("a pass that never ends does not end its worker's time", async () => {
  const { promise: never } = Promise.withResolvers<Reconciliation>();
  const { lines, result } = await publishedLines(() => besideOthers(() => never)(5_020));

  await expect(result).resolves.toBeUndefined();
  expect(lines).toMatchObject([{ event: "reconciliation_failed", FailedItems: 1 }]);
});

test.each([
  [120_000, 60_000],
  [100_000, 55_000],
  [45_000, 0],
])("of a worker's %d ms a pass begins things for %d ms", async (remaining, expected) => {
  const seen: number[] = [];
  const { result } = await publishedLines(() =>
    besideOthers(
      async (until) => {
        seen.push(until);
        return done;
      },
      () => 0,
    )(remaining),
  );
  await result;

  expect(seen).toEqual([expected]);
});
