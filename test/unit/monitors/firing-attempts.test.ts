import { expect, test } from "vitest";
import { firingAttempts } from "../../../lib/monitors/firing-attempts.ts";
import { someMonitor } from "../../support/monitors.ts";

const minute = 60_000;
const outage = Object.assign(new Error("away"), { code: "ECONNREFUSED" });

test.each([
  ["an outage of the database is no attempt", outage, 1, undefined],
  ["an outage that lasts an hour is one", outage, 61, 1],
  ["another error is one", new Error("broken"), 1, 1],
])("after a failed firing %s", async (_, error, minutes, count) => {
  let monitor = someMonitor("p");
  const change = async (_project: string, _id: string, apply: (before: typeof monitor) => typeof monitor) => {
    monitor = apply(monitor);
    return { monitor, revision: 1, scheduled: 1, check: null };
  };
  const attempts = firingAttempts({ change }, () => minutes * minute);
  const message = { project: "p", monitor: monitor.id, generation: 1, scheduledAt: 0 };

  await expect(attempts.run(message, () => Promise.reject(error))).rejects.toBe(error);
  expect(monitor.attempts?.trials[0]?.made).toBe(count);
  expect(monitor.attempts?.unproven).toBe(count ?? 0);
});
