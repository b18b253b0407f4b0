import { expect, test } from "vitest";
import { emptyForm, formOf, settingsOf, withChange } from "../../../lib/console/alerts/form.ts";
import { scoreQuery, traceQuery } from "../../../lib/console/alerts/links.ts";
import { filterQuery, otherFilters } from "../../../lib/console/traces/filter-query.ts";
import { alertFields } from "../../../lib/domain/alerts/fields.ts";
import { defaultsOf } from "../../../lib/domain/fields.ts";
import { conditionText, intervalText, type RuleAlert } from "../../../lib/console/alerts/words.ts";

const rule: RuleAlert = {
  ...defaultsOf(alertFields),
  id: "id",
  project_id: "p",
  monitor_id: null,
  name: "Failures",
  created_at: "2026-01-01T00:00:00Z",
  filters: { environment: "production", tags: ["a", "b"], metadata: { tier: "gold" } },
  signal: "error_rate",
  window: "1h",
  threshold: 0.07,
  minimum_count: 30,
  significance: true,
  state: "ALERT",
  state_since: null,
  window_end: null,
  last_evaluation: null,
  warnings: [],
};

test.each<readonly [Partial<RuleAlert>, string]>([
  [{}, "share of failed traces above 7 % in 1 hour"],
  [
    { signal: "score_mean", metric_name: "task_completion", threshold: 0.7 },
    "mean of task completion below 0.7 in 1 hour",
  ],
  [
    { signal: "score_below", metric_name: "tone", compare_with: "last_week", threshold: 0.05 },
    "share of tone below 0.5 in 1 hour higher by more than 5 points than in the same hours of last week",
  ],
  [
    { signal: "score_is_not", metric_name: "tone", category: "kind", threshold: 0.2 },
    "share of tone other than kind above 20 % in 1 hour",
  ],
  [
    { signal: "latency_p90", compare_with: "previous_window", threshold: 0.5 },
    "latency, p90 in 1 hour higher by more than 50 % than in the window before",
  ],
  [{ signal: "latency_p90", threshold: 15_000 }, "latency, p90 above 15.0 s in 1 hour"],
  [
    { signal: "volume", compare_with: "last_week", threshold: 0.5, window: "24h" },
    "number of traces in 24 hours changed by more than 50 % from the same hours of last week",
  ],
])("the condition of a rule with %j is a sentence", (change, text) => {
  expect(conditionText({ ...rule, ...change })).toBe(text);
});

test("a rule is the same after the form, whose shares are in percent", () => {
  expect(formOf(rule).threshold).toBe("7");
  expect(rule).toMatchObject(settingsOf(formOf(rule)));
  const typed = { ...formOf(rule), threshold: "29,5", minimum_count: "" };
  expect(settingsOf(typed)).toMatchObject({ threshold: 0.295, minimum_count: Number.NaN });
});

test("a new signal or baseline has a threshold in its unit, and silence is an alert", () => {
  expect(settingsOf(withChange(emptyForm, { compare_with: "last_week" })).threshold).toBe(0.05);
  const silence = withChange(emptyForm, { signal: "volume" });
  expect(settingsOf(silence)).toMatchObject({ threshold: 1, minimum_count: 1, no_data: "alert", metric_name: null });
  expect(settingsOf(withChange(silence, { signal: "cost" }))).toMatchObject({ minimum_count: 30, no_data: "ok" });
});

test.each<readonly [Partial<RuleAlert>, Readonly<Record<string, string>>]>([
  [{}, { status: "ERROR" }],
  [{ signal: "score_below", metric_name: "tone" }, { score: "tone<0.5" }],
  [{ signal: "score_is", metric_name: "tone", category: "a|b" }, { score: String.raw`tone=a\|b` }],
  [{ signal: "score_is_not", metric_name: "tone", category: "kind" }, { score: "tone!=kind" }],
  [{ signal: "score_mean", metric_name: "tone" }, { score: "tone<0.1" }],
  [{ signal: "score_mean", metric_name: "a=b|c" }, { score: String.raw`a\\=b\|c<0.1` }],
  [{ signal: "latency_p99" }, { min_latency_ms: "0.1" }],
  [{ signal: "cost" }, { sort_by: "cost" }],
  [{ signal: "volume" }, {}],
])("the traces of a decision are those of its window with %j", (change, query) => {
  expect(traceQuery({ ...rule, ...change }, { reference: 0.1, window_end: "2026-01-02T00:00:00Z" })).toEqual({
    environment: "production",
    tags: "a|b",
    "metadata.tier": "gold",
    started_after: "2026-01-01T23:00:00.000Z",
    started_before: "2026-01-02T00:00:00.000Z",
    ...query,
  });
});

test("scores of a decision are those created in its window, and filters without a form are kept apart", () => {
  const change = { reference: 0.1, window_end: "2026-01-02T00:00:00Z" };
  expect(scoreQuery(rule, change)).toBe(null);
  expect(scoreQuery({ ...rule, signal: "score_mean", metric_name: "tone" }, change)).toEqual({
    name: "tone",
    max_value: "0.1",
    date_from: "2026-01-01T23:00:00.000Z",
    date_to: "2026-01-02T00:00:00.000Z",
  });
  expect(filterQuery(rule.filters)).toEqual({ environment: "production", tags: "a|b", "metadata.tier": "gold" });
  expect(otherFilters({ ...rule.filters, later: 1 })).toEqual({ later: 1 });
});

test("an interval is in the unit of what it is of", () => {
  expect(intervalText(rule, { lower: 0.071, upper: 0.142 })).toBe("7.1 % to 14.2 %");
  expect(intervalText({ ...rule, signal: "cost" }, { lower: -5, upper: null })).toBe("−$5.00 to …");
  expect(intervalText({ ...rule, signal: "latency_p90" }, { lower: 0.11, upper: 0.2 })).toBe("11 % to 20 %");
});

test("the form compares a total as it is and an estimate only if the change is significant, until the user says otherwise", () => {
  const costs = withChange(emptyForm, { signal: "cost" });

  expect(
    [emptyForm, costs, withChange(costs, { signal: "error_rate" })].map(({ significance }) => significance),
  ).toEqual([true, false, true]);
  expect(withChange({ ...costs, significance: true }, { compare_with: "last_week" }).significance).toBe(true);
});
