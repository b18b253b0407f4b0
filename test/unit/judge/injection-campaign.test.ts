import { expect, test } from "vitest";
import { seeded } from "../../support/random.ts";
import { tryInjections } from "../../support/runs/injection-campaign.ts";
import { trace } from "./fixtures.ts";

test("of 260 texts that speak to the judge none gets out of the material, and a verdict that rests on one is marked", async () => {
  const tried = await tryInjections(trace(), seeded(20_261_122), 260);

  expect(tried).toHaveLength(260);
  expect(new Set(tried.map(({ family }) => family)).size).toBe(7);
  expect(tried.filter(({ escaped }) => escaped)).toEqual([]);
  expect(tried.filter(({ flagged }) => !flagged)).toEqual([]);
});
