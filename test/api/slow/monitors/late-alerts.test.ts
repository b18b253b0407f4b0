import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAlert, getAlert, listAlertHistory } from "../../../../lib/contract/monitors/alerts.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { updateTrace } from "../../../../lib/contract/traces/changes.ts";
import { windowLength, type AlertRule } from "../../../../lib/domain/alerts/rule.ts";
import { observationCount, totalOf } from "../../../../lib/domain/alerts/sums.ts";
import { itemsOf } from "../../../../lib/dynamo/items.ts";
import { ruleKey, stateKey } from "../../../../lib/store/alerts/keys.ts";
import { alertRules } from "../../../../lib/store/alerts/rules.ts";
import { alertStateStore } from "../../../../lib/store/alerts/states.ts";
import { alertSums } from "../../../../lib/store/alerts/sums.ts";
import type { DeliveredEvent } from "../../../../infra/local/events/event-bus.ts";
import { inTurn } from "../../../support/in-turn.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

const minute = 60_000;
let service: RunningService;
beforeAll(async () => {
  service = await startService({ checkGrants: true });
});
afterAll(() => service.close());

/** Makes a rule that was made earlier: its first window begins at an instant. */
const moveRule = async (project: string, id: string, anchorOf: (anchor: number) => number): Promise<AlertRule> => {
  const database = databaseOf(service);
  const [monitors, rule] = [itemsOf(database, "monitors"), await alertRules(database).get(project, id)];
  if (rule === null) throw new Error("The rule is not stored.");
  const [item, anchor] = [await monitors.get(ruleKey(project, id)), anchorOf(rule.anchor)];
  const d = String(item?.["d"]).replace(String(rule.anchor), String(anchor));
  await monitors.update(ruleKey(project, id), "SET d = :d", { values: { ":d": d } });
  return { ...rule, anchor };
};

/** Makes a rule due, and evaluates it. */
const sweep = async (project: string, id: string): Promise<void> => {
  const values = { ":at": "2026-01-01T00:00:00Z" };
  await itemsOf(databaseOf(service), "monitors").update(stateKey(project, id), "SET due_at = :at", { values });
  for (const sweeper of service.stack.scheduled) await service.stack.functions.invoke(sweeper, {});
};

/** Events about a rule that the service has put on its bus. */
const eventsOf = (rule: string): readonly DeliveredEvent[] => {
  const file = join(service.directory, "events.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line) as DeliveredEvent).filter(({ detail }) => detail["alert_id"] === rule);
};

test.each([
  ["5m", 12, 12],
  ["1h", 130, 2],
] as const)("a rule of %s hears that traces of %i minutes have failed", async (window, minutes, windows) => {
  const client = newProject(service);
  const [database, length] = [databaseOf(service), windowLength(window)];
  const body = { name: "failures", signal: "error_rate", window, threshold: 0.3, minimum_count: 5 };
  const { id, project_id: project } = await client.answer(createAlert, { body: { ...body, significance: false } });
  const params = { alert_id: id };
  const rule = await moveRule(project, id, (anchor) => anchor - windows * length - (minutes + 5) * minute);
  const { anchor } = rule;
  const ends = Array.from({ length: windows }, (_, index) => anchor + (index + 1) * length);
  const sums = alertSums(database, alertStateStore(database));
  /** Waits until the workers have added traces and failures, and evaluates the rule. */
  const evaluated = async (count: number, failures: number) => {
    await eventually(async () => {
      const all = Array.from((await sums.readAll(rule, ends)).values());
      const total = (of: typeof totalOf) => all.reduce((sum, each) => sum + of(each), 0);
      return (total(observationCount) === count && total(totalOf) === failures) || undefined;
    });
    await sweep(project, id);
    return await client.answer(getAlert, { params });
  };

  const traces = Array.from({ length: 120 }, (_, index) => ({
    trace_id: randomUUID(),
    name: "slow agent",
    status: "RUNNING",
    started_at: new Date(anchor + index * ((windows * length) / 120)).toISOString(),
  }));
  for (const first of [0, 60]) await client.answer(createTraces, { body: { traces: traces.slice(first, first + 60) } });
  expect((await evaluated(120, 0)).window_end).not.toBeNull();
  expect((await client.page(listAlertHistory, { params })).items).toEqual([]);

  await inTurn(traces, ({ trace_id, started_at }, index = traces.findIndex((each) => each.trace_id === trace_id)) =>
    client.answer(updateTrace, {
      params: { trace_id },
      body: {
        status: index % 2 === 0 ? "ERROR" : "COMPLETED",
        ended_at: new Date(Date.parse(started_at) + minutes * minute).toISOString(),
      },
    }),
  );
  expect((await evaluated(120, 60)).window_end).not.toBeNull();
  const { items: history } = await client.page(listAlertHistory, { params });
  const value = history.at(-1)?.value;
  expect(history.at(-1)).toMatchObject({ transition: "raised", count: 120 / windows });
  // The service's own sweeper may come before the last failures of a window, whose share is then still on its way to a half.
  expect(value).toBeGreaterThanOrEqual(body.threshold);
  expect(value).toBeLessThanOrEqual(0.5);
  const raised = await eventually(() => eventsOf(id)[0]);
  expect(raised).toMatchObject({ "detail-type": "alert.raised", detail: { late: true, value } });

  await evaluated(120, 60);
  expect(eventsOf(id).filter((event) => event["detail-type"] === "alert.raised")).toHaveLength(1);
});

test("a new rule evaluates the hour before it from the traces and scores that are there", async () => {
  const client = newProject(service);
  const started_at = new Date(Date.now() - 30 * minute).toISOString();
  const traces = [1, 2, 3].map(() => ({ trace_id: randomUUID(), name: "agent", status: "ERROR", started_at }));
  await client.answer(createTraces, { body: { traces } });
  for (const { trace_id } of traces)
    await client.answer(createTraceScore, { body: { trace_id, name: "helpful", value: "0.2" } });
  const plain = { window: "1h", threshold: 0.3, minimum_count: 3, significance: false };
  const filters = { name: "agent" };
  const rules = [
    { ...plain, name: "failures", signal: "error_rate" },
    { ...plain, name: "low scores", signal: "score_below", metric_name: "helpful", filters },
  ];
  for (const body of rules) {
    const { id, project_id: project } = await client.answer(createAlert, { body });
    await moveRule(project, id, (anchor) => (body.signal === "error_rate" ? anchor - 4 * minute : Date.now()));
    const evaluation = await eventually(async () => {
      await sweep(project, id);
      return (await client.answer(getAlert, { params: { alert_id: id } })).last_evaluation ?? undefined;
    });
    expect(evaluation).toMatchObject({ verdict: "alert", value: 1, count: 3, reason: null });
  }
});
