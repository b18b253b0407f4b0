import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { countUnpacked, requestBudget, withRequestBudget } from "../../../lib/async/request-budget.ts";
import { sentItems } from "../../../lib/handlers/datasets/sent-items.ts";
import type { StoredTrace, TraceReader } from "../../../lib/store/traces/reader.ts";
import { someTrace } from "../../support/traces/traces.ts";

const project = "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11";

/** Reads traces of 100 bytes each. */
const readTrace = () =>
  vi.fn<TraceReader["get"]>(async (_, trace_id) => {
    countUnpacked(100);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a stored trace the function reads this alone.
    return { trace: someTrace({ trace_id }) } as StoredTrace;
  });

const read = (get: ReturnType<typeof readTrace>, traceIds: readonly string[], unpackedBytes: number) =>
  withRequestBudget(requestBudget({ unpackedBytes }), () =>
    sentItems(
      { get, rejection: () => Promise.resolve("nothing") },
      project,
      traceIds.map((trace_id) => ({ source: { trace_id } })),
      (position) => position,
    ),
  );

test("the traces of a request are read until its budget is used up, and each once", async () => {
  const ids = Array.from({ length: 50 }, () => randomUUID());
  const [few, once] = [readTrace(), readTrace()];

  await expect(read(few, ids, 1_000)).rejects.toMatchObject({ reason: { kind: "too-large" } });
  expect(few.mock.calls.length).toBeLessThanOrEqual(15);
  expect(await read(once, [...ids.slice(0, 3), ...ids.slice(0, 3)], 1_000)).toHaveLength(6);
  expect(once.mock.calls.map(([, id]) => id)).toEqual(ids.slice(0, 3));
});
