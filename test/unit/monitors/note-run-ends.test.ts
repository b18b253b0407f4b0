import { expect, test } from "vitest";
import { runEndNotes } from "../../../lib/monitors/note-run-ends.ts";
import type { AlertStates, StoredState } from "../../../lib/store/alerts/states.ts";
import { someMonitor } from "../../support/monitors.ts";

test.each([
  ["in their order", true, 0, ["alert.raised", "alert.cleared"]],
  ["again when another worker was faster", true, 2, ["alert.raised", "alert.cleared"]],
  ["only if the monitor asks for it", false, 0, []],
])("ends of a monitor's runs are noted %s", async (_, isWanted, lateWrites, kinds) => {
  const monitor = someMonitor("p", { alert_if_stopped: isWanted });
  let [stored, late]: [StoredState | null, number] = [null, lateWrites];
  const announced: string[] = [];
  const put: AlertStates["put"] = async (project, id, { state }, { revision, events }) => {
    expect([project, id, revision]).toEqual(["p", monitor.id, stored?.revision ?? null]);
    if ((late -= 1) >= 0) return false;
    const noted = { gaps: new Set<number>(), late: new Set<number>(), alertWindows: 0n, unread: new Set<string>() };
    stored = { state, evaluation: null, revision: (revision ?? 0) + 1, ...noted };
    announced.push(...events.map(({ kind }) => kind));
    return true;
  };
  const monitors = { get: async () => ({ monitor, revision: 1, scheduled: 1, check: null }) };
  const note = runEndNotes({ monitors, states: { get: async () => stored, put }, now: () => 0 });
  const base = { project: "p", monitor: monitor.id, failed: 1, message: null };
  await note([
    { ...base, at: 5, scored: 1 },
    { ...base, at: 4, scored: 0 },
  ]);

  expect(announced).toEqual(kinds);
});
