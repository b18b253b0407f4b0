import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { observationCount } from "../../../lib/domain/alerts/sums.ts";
import { pastWindows } from "../../../lib/store/alerts/past-windows.ts";
import { someAlertSettings } from "../../support/alerts/workers.ts";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { seeded } from "../../support/random.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { writeRows } from "../../support/traces/rows.ts";

const database = quietDatabase();

test("a preview is refused when its windows have more traces than it may read", async () => {
  const [project, to] = [randomUUID(), Date.parse("2026-11-09T12:00:00Z")];
  const rows = [1, 2, 3].map((minutes) => generateRow(seeded(minutes), to - minutes * 60_000));
  await writeRows(database(), project, rows);
  const settings = someAlertSettings({ window: "5m" });
  const read = (limit: number) => pastWindows(database(), limit)(project, settings, [{ from: to - 300_000, to }]);

  expect(Array.from(await read(3), ([end, sums]) => [end, observationCount(sums)])).toEqual([[to, 3]]);
  await expect(read(2)).rejects.toMatchObject({
    reason: {
      violations: [
        {
          loc: ["body", "date_from"],
          type: "too_many_rows",
          msg: expect.stringContaining("The range has more than 2 traces, and a preview reads at most 2."),
        },
      ],
    },
  });
});
