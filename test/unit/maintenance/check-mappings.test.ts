import { expect, test } from "vitest";
import { mappingChecker } from "../../../lib/maintenance/check-mappings.ts";
import { publishedLines } from "../../support/published-lines.ts";

const mappings = { FollowRuns: "on", PurgeTraces: "off" };

test("a stream worker whose mapping is switched off is a day behind, for the alarm on the lag", async () => {
  const check = mappingChecker(
    mappings,
    async (id) => id === "on",
    () => 0,
  );

  const { lines, result } = await publishedLines(check);

  expect(await result).toEqual({ mappings: 2, mappingsOff: 1 });
  expect(lines).toMatchObject([{ event: "mapping_switched_off", worker: "PurgeTraces", Lag: 86_400 }]);
});

test("mappings are read every five minutes", async () => {
  let [minute, reads] = [0, 0];
  const isSwitchedOn = async (): Promise<boolean> => (reads += 1) > 0;
  const check = mappingChecker(mappings, isSwitchedOn, () => minute * 60_000 + 999);

  for (; minute < 10; minute += 1) await check();

  expect(reads).toBe(4);
});
