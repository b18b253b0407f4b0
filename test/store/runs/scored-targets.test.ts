import assert from "node:assert";
import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchingTargets } from "../../../lib/evaluation/start/matching-targets.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { newestKey, packNewest, type ScoredLife } from "../../../lib/store/scores/newest-codec.ts";
import { readyFilters } from "../../../lib/store/scores/newest/ready-filters.ts";
import { scoredTraceList } from "../../../lib/store/scores/newest/scored-traces.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { someScore } from "../../support/scores.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { writeRows } from "../../support/traces/rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const scoredAt = "2026-11-01T12:00:00.000000+00:00";

const note = async (life: ScoredLife, value: string, updated_at: string) => {
  const success = someScore({ project_id: life.project, trace_id: life.id, value, updated_at });
  const Item = { ...newestKey(life, success.name), ...packNewest(success.name, { success, failure: null }), g: "g" };
  await database.client.send(new PutCommand({ TableName: database.table("aggregates"), Item }));
};

test("a target has changed when a score has that its filter asks for, whatever was there before", async () => {
  const [project, random] = [randomUUID(), seeded(1)];
  const rows = Array.from({ length: 3 }, (_, index) => generateRow(random, Date.UTC(2026, 9, 1, index)));
  const [bad, good, unjudged] = rows;
  assert(bad !== undefined && good !== undefined);
  await writeRows(database, project, rows);
  const lifeOf = ({ traceId: id, incarnation }: (typeof rows)[number]) => ({ id, incarnation });
  await note({ project, target: "trace", ...lifeOf(bad) }, "0.25", scoredAt);
  await note({ project, target: "trace", ...lifeOf(good) }, "0.75", scoredAt);
  const session = { project, target: "session", id: bad.sessionId ?? "", incarnation: null } as const;
  await note(session, "0.25", scoredAt);
  const matching = matchingTargets({
    list: scoredTraceList(database),
    forecast: rowForecast(database),
    ready: readyFilters(database),
    sessionScores: newestValues(database, "session"),
  });
  const changedAt = Date.parse(scoredAt);

  expect(await matching(project, "TRACE", { score: ["task_completion<0.5"] })).toEqual([
    { id: bad?.traceId, changedAt, traces: 1 },
  ]);
  expect(await matching(project, "TRACE", { no_score: ["task_completion"] })).toEqual([
    { id: unjudged?.traceId, changedAt: unjudged?.changedAt, traces: 1 },
  ]);
  expect(await matching(project, "TRACE", { max_cost: bad?.totalCost, min_cost: bad?.totalCost })).toContainEqual({
    id: bad?.traceId,
    changedAt: bad?.changedAt,
    traces: 1,
  });
  expect(await matching(project, "SESSION", { score: ["task_completion<0.5"] })).toEqual([
    { id: bad?.sessionId, changedAt, traces: 1 },
  ]);
});
