import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { previewLimits } from "../../../lib/store/limits/preview-limits.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Limits on a clock that begins a minute before midnight; each test has a day of its own. */
const limitsAt = (start: string, max: Parameters<typeof previewLimits>[1]) => {
  const clock = { at: Date.parse(start) };
  return { clock, limits: previewLimits(database, max, () => clock.at) };
};
const refusal = (words: string, retryAfter: number) => ({
  reason: { kind: "rate-limited", retryAfter, detail: expect.stringContaining(words) as string },
});

test("an organization has its number of previews a day, and another its own", async () => {
  const { clock, limits } = limitsAt("2026-10-01T23:59:00Z", { perDay: 2, atATime: 1000 });
  const [organization, other] = [randomUUID(), randomUUID()];
  for (const _ of [1, 2]) await (await limits.begin(organization))();

  await expect(limits.begin(organization)).rejects.toMatchObject(
    refusal("has used up its 2 previews of 2026-10-01 (UTC)", 60),
  );
  await (
    await limits.begin(other)
  )();
  clock.at += 60_000;
  await (
    await limits.begin(organization)
  )();
});

test("no more previews than judge workers are under way in the deployment, and one that ended makes room", async () => {
  const { clock, limits } = limitsAt("2026-10-03T10:00:00Z", { perDay: 100, atATime: 3 });
  const ends = await Promise.all([1, 2, 3].map(() => limits.begin(randomUUID())));

  const refused = limits.begin(randomUUID());
  await expect(refused).rejects.toMatchObject(refusal("As many previews as this deployment judges at a time (3)", 5));
  await ends[1]?.();
  const next = await limits.begin(randomUUID());
  // An end that is repeated, or comes late, frees no place of another preview.
  await ends[1]?.();
  clock.at += 1;
  await expect(limits.begin(randomUUID())).rejects.toMatchObject(refusal("under way", 5));
  await Promise.all([ends[0]?.(), ends[2]?.(), next()]);
});

test("a preview whose function died ends after half a minute, and one that is refused for its day takes no place", async () => {
  const { clock, limits } = limitsAt("2026-10-05T10:00:00Z", { perDay: 1, atATime: 1 });
  const organization = randomUUID();
  await limits.begin(organization);
  await expect(limits.begin(randomUUID())).rejects.toMatchObject(refusal("under way", 5));

  clock.at += 30_000;
  await expect(limits.begin(organization)).rejects.toMatchObject(refusal("used up its 1 previews", 14 * 3600 - 30));
  await (
    await limits.begin(randomUUID())
  )();
});
