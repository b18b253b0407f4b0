import { expect, test } from "vitest";
import { monitorRunEnds } from "../../../lib/stream/monitor-run-end.ts";
import { recordsOfItems } from "../../support/database/records-of-items.ts";
import { runItem } from "../../support/runs/run-items.ts";
import { someOrder } from "../../support/runs/runs.ts";

const order = someOrder({ monitorId: "monitor" });
const at = "2026-11-21T09:00:00+00:00";
const ended = { ...runItem({ order, status: "COMPLETED" }), completed_at: at };
const { monitor_key: _, ...retry } = { ...ended, retried_monitor: "monitor" };

test.each([
  ["of a run with scores", { ...ended, scored: 2, failed: 1 }, "RUNNING", { scored: 2, failed: 1, message: null }],
  [
    "of a run without a score",
    { ...ended, status: "FAILED", failed: 2, error_message: "No money." },
    "RUNNING",
    { scored: 0, failed: 2, message: "No money." },
  ],
  ["of a run whose targets are gone", { ...ended, failed: 3, lost: 3 }, "RUNNING", { scored: 0, failed: 0 }],
  ["of a run with one target that is left", { ...ended, failed: 3, lost: 2 }, "RUNNING", { scored: 0, failed: 1 }],
  ["of a retry with a score", { ...retry, scored: 1 }, "RUNNING", { scored: 1, failed: 0 }],
  ["of a retry without a score", { ...retry, failed: 1 }, "RUNNING", null],
  ["of a run without a monitor", { ...retry, retried_monitor: undefined, scored: 1 }, "RUNNING", null],
  ["of a run that goes on", { ...ended, status: "RUNNING", scored: 1 }, "PENDING", null],
  ["of a run that had ended", { ...ended, scored: 1 }, "COMPLETED", null],
] as const)("the end %s is noted for its monitor as it was", (_, after, status, end) => {
  const expected = end === null ? [] : [{ project: order.projectId, monitor: "monitor", at: Date.parse(at), ...end }];
  const [before, record] = recordsOfItems([{ ...after, status }, after]);
  const change = { dynamodb: { ...record?.dynamodb, OldImage: before?.dynamodb?.NewImage } };
  expect(monitorRunEnds([change])).toMatchObject(expected);
});
