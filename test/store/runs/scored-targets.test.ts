import assert from "node:assert";
import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchingTargets } from "../../../lib/evaluation/start/matching-targets.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import type { FileDays } from "../../../lib/store/traces/lists/file-days.ts";
import type { TraceListPage } from "../../../lib/store/traces/lists/list.ts";
import { newestKey, packNewest, type ScoredIncarnation } from "../../../lib/store/scores/newest/newest-codec.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import { scoredTraceList } from "../../../lib/store/scores/newest/scored-traces.ts";
import { wholeSearch } from "../../../lib/store/traces/search/whole-search.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { seeded } from "../../support/random.ts";
import { someScore } from "../../support/scores.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { filesWithout } from "../../support/traces/files-without.ts";
import { writeRows } from "../../support/traces/rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const scoredAt = "2026-11-01T12:00:00.000000+00:00";

const storeNewestScore = async (life: ScoredIncarnation, value: string, updated_at: string) => {
  const success = someScore({ project_id: life.project, trace_id: life.id, value, updated_at });
  const Item = {
    ...newestKey(life, success.name),
    ...packNewest(success.name, { person: success, program: null, failure: null }),
    g: "g",
  };
  await database.client.send(new PutCommand({ TableName: database.table("aggregates"), Item }));
};

test("a target's change time is that of a matching score if its filter is on scores, otherwise that of the trace", async () => {
  const [project, random] = [randomUUID(), seeded(1)];
  const rows = Array.from({ length: 3 }, (_, index) => generateRow(random, Date.UTC(2026, 9, 1, index)));
  const [lowScored, highScored, unjudged] = rows;
  assert(lowScored !== undefined && highScored !== undefined);
  await writeRows(database, project, rows);
  const incarnationOf = ({ traceId: id, incarnation }: (typeof rows)[number]) => ({ id, incarnation });
  await storeNewestScore({ project, target: "trace", ...incarnationOf(lowScored) }, "0.25", scoredAt);
  await storeNewestScore({ project, target: "trace", ...incarnationOf(highScored) }, "0.75", scoredAt);
  const session = { project, target: "session", id: lowScored.sessionId ?? "", incarnation: null } as const;
  await storeNewestScore(session, "0.25", scoredAt);
  const matching = matchingTargets({
    list: scoredTraceList(database),
    filesOf: null,
    checkRowLimit: rowLimitCheck(database),
    resolveFilters: filterResolver(database),
    sessionScores: newestValues(database, "session"),
    searchPages: null,
    searchAll: wholeSearch(database),
  });
  const changedAt = Date.parse(scoredAt);

  expect(await matching(project, "TRACE", { score: ["task_completion<0.5"] })).toEqual([
    { id: lowScored?.traceId, changedAt, traces: 1 },
  ]);
  expect(await matching(project, "TRACE", { no_score: ["task_completion"] })).toEqual([
    { id: unjudged?.traceId, changedAt: unjudged?.changedAt, traces: 1 },
  ]);
  expect(
    await matching(project, "TRACE", { max_cost: lowScored?.totalCost, min_cost: lowScored?.totalCost }),
  ).toContainEqual({
    id: lowScored?.traceId,
    changedAt: lowScored?.changedAt,
    traces: 1,
  });
  expect(await matching(project, "SESSION", { score: ["task_completion<0.5"] })).toEqual([
    { id: lowScored?.sessionId, changedAt, traces: 1 },
  ]);
});

test("of more rows than may be read those of files are the targets, if all are on one page", async () => {
  const [project, row] = [randomUUID(), generateRow(seeded(2), Date.UTC(2026, 9, 1))];
  await writeRows(database, project, [row]);
  const { list } = scoredTraceList(database);
  const files: FileDays = filesWithout({ days: new Set() });
  const targets = (page: Partial<TraceListPage>) =>
    matchingTargets({
      list: {
        list: async (...query) => ({ ...(await list(...query)), ...page }),
        matching: () => Promise.reject(new Error("There are too many rows.")),
      },
      filesOf: async () => files,
      checkRowLimit: async (_project, _range, _loc, _bounds, findFiles) => (await findFiles?.()) ?? null,
      resolveFilters: filterResolver(database),
      sessionScores: newestValues(database, "session"),
      searchPages: null,
      searchAll: wholeSearch(database),
    })(project, "TRACE", { date_from: "2026-10-01T00:00:00+00:00" });
  const refusal = { reason: { violations: [{ loc: ["body", "filters"], type: "too_many_rows" }] } };

  expect(await targets({})).toMatchObject([{ id: row.traceId, traces: 1 }]);
  await expect(targets({ last: { key: null, id: row.traceId } })).rejects.toMatchObject(refusal);
  await expect(targets({ isCut: true })).rejects.toMatchObject(refusal);
});
