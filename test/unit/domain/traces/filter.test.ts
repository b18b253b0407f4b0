import { expect, test } from "vitest";
import { mergeTrace } from "../../../../lib/domain/traces/merge.ts";
import { traceFilter, type TraceFilters } from "../../../../lib/domain/traces/filter.ts";
import { latencyOf, rowFactsOf, rowOf } from "../../../../lib/domain/traces/row.ts";
import { someTrace } from "../../../support/traces/traces.ts";

const storedRow = rowOf(
  mergeTrace(
    null,
    someTrace({
      name: "Refund-Agent Ünit",
      status: "ERROR",
      session_id: "s1",
      user_id: "u1",
      tags: ["beta", "eu"],
      started_at: "2026-10-01T10:00:00.500000+00:00",
    }),
  ),
  {
    facts: null,
    version: 1,
    contentVersion: 1,
    arrivedAt: 0,
    changedAt: 0,
    incarnation: "i",
    pieces: [],
    appendState: null,
  },
);

const row = { ...storedRow, latency: latencyOf(storedRow.startedAt, storedRow.endedAt) };

test.each<[TraceFilters, boolean]>([
  [{}, true],
  [{ name: "agent" }, true],
  [{ name: "ünit" }, true],
  [{ name: "" }, true],
  [{ name: "agents" }, false],
  [{ status: "ERROR" }, true],
  [{ status: "COMPLETED" }, false],
  [{ session_id: "s1" }, true],
  [{ session_id: "S1" }, false],
  [{ session_id: "s" }, false],
  [{ user_id: "u1" }, true],
  [{ user_id: "u2" }, false],
  [{ tags: ["eu"] }, true],
  [{ tags: ["us", "beta"] }, true],
  [{ tags: ["us"] }, false],
  [{ tags: ["e"] }, false],
  [{ tags: [] }, true],
  [{ date_from: "2026-10-01" }, true],
  [{ date_from: "2026-10-01T10:00:00.5Z" }, true],
  [{ date_from: "2026-10-01T12:00:00.5+02:00" }, true],
  [{ date_from: "2026-10-01T10:00:00.500001Z" }, false],
  [{ date_to: "2026-10-01T10:00:00.5Z" }, false],
  [{ date_to: "2026-10-01T10:00:00.500001Z" }, true],
  [{ date_to: "2026-10-01" }, false],
  [{ date_from: "2026-10-02", date_to: "2026-09-01" }, false],
  [{ name: "agent", status: "ERROR", tags: ["eu"], user_id: "u1", session_id: "s1" }, true],
  [{ name: "agent", status: "ERROR", tags: ["eu"], user_id: "u2", session_id: "s1" }, false],
])("%j matches: %s", (filters, matches) => {
  expect(traceFilter(filters).matches(row)).toBe(matches);
});

test.each<[TraceFilters, boolean]>([
  [{ prompt_name: "greet" }, true],
  [{ prompt_name: "greet", prompt_version: "1" }, true],
  [{ prompt_name: "greet", prompt_version: "2" }, false],
  [{ prompt_name: "1" }, false],
  [{ prompt_version: "2" }, true],
  [{ prompt_version: "3" }, false],
  [{ experiment: "nightly", experiment_item_id: "item-7" }, true],
  [{ experiment: "item-7" }, false],
  [{ experiment_item_id: "nightly" }, false],
])("the filter %j of prompts and experiments matches: %s", (filters, matches) => {
  const prompts = [
    { name: "greet", version: "1" },
    { name: "plan", version: "2" },
  ];
  const provenance = { prompts, experiment: "nightly", experimentItem: "item-7", experimentId: null, dataset: null };
  const numbers = { model: () => 1, tool: () => 1 };
  const facts = { ...rowFactsOf(mergeTrace(null, someTrace()), numbers, []), provenance };

  expect(traceFilter(filters).matches({ ...row, facts })).toBe(matches);
  expect(traceFilter(filters).matches(row)).toBe(false);
});

test("the range of start times is derived from the filter, so that other days are not read", () => {
  expect(traceFilter({ date_from: "2026-10-01", date_to: "2026-10-02T01:00+01:00" })).toMatchObject({
    from: "2026-10-01T00:00:00+00:00",
    to: "2026-10-02T00:00:00+00:00",
  });
  expect(traceFilter({})).toMatchObject({ from: null, to: null });
});
