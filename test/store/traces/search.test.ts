import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestBudget, withRequestBudget } from "../../../lib/async/request-budget.ts";
import type { Position } from "../../../lib/domain/page.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { parseTextQuery } from "../../../lib/domain/traces/search/text-query.ts";
import { matchingTargets } from "../../../lib/evaluation/start/matching-targets.ts";
import { documentMerging } from "../../../lib/store/garbage/document-merging.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { pointerKey } from "../../../lib/store/traces/keys.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import type { PackedTrace } from "../../../lib/store/traces/packed-trace.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { documentSearch } from "../../../lib/store/traces/search/documents.ts";
import { textSearch } from "../../../lib/store/traces/search/search.ts";
import { pagedSearch, type PagedSearch, wholeSearch } from "../../../lib/store/traces/search/whole-search.ts";
import { mergePromptly } from "../../../lib/maintenance/merge-documents.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const minute = (index: number): string =>
  new Date(Date.UTC(2026, 9, 1, 10, index)).toISOString().replace(".000Z", "+00:00");

/** Saves traces, the oldest first. @returns their project. */
const projectWith = async (traces: readonly Partial<IdentifiedTrace>[]): Promise<string> => {
  const project = randomUUID();
  await saveTraces(
    database,
    project,
    traces.map((fields, index) => someTrace({ started_at: minute(index), name: String(index), ...fields })),
  );
  return project;
};

const termsOf = (q: string) => parseTextQuery(q).terms;

const newSearch = (now?: () => number) => textSearch(database, newestValues(database, "trace", now), null, now);

/** Requests pages until the last one. @returns the names of the found traces by page. */
const pagesOf = async (search: ReturnType<typeof newSearch>, project: string, q: string, filters = {}) => {
  const pages: (readonly string[])[] = [];
  let after: Position | null = null;
  do {
    const request = { filter: traceFilter(filters), limit: 50, offset: 0, after };
    const { rows, last } = await search(project, termsOf(q), request);
    pages.push(rows.map(({ name }) => name));
    after = last;
  } while (after !== null && pages.length < 100);
  return pages;
};

const rowsOf = async (project: string): Promise<readonly PackedTrace[]> => {
  const rows: PackedTrace[] = [];
  await traceList(database).matching(project, traceFilter({}), (row) => rows.push(row), true);
  return rows;
};

const damage = async (project: string, trace: string): Promise<void> => {
  await database.client.send(
    new UpdateCommand({
      TableName: database.table("bodies"),
      Key: pointerKey(project, trace),
      UpdateExpression: "SET b = :b",
      ExpressionAttributeValues: { ":b": Buffer.from([1, 2, 3]) },
    }),
  );
};

test("a search out of time searches one trace, and its cursor goes on to the end", async () => {
  const session_id = "s";
  const project = await projectWith(
    Array.from({ length: 6 }, (_, at) => ({ session_id, input: at % 3 === 0 ? "needle" : "hay" })),
  );
  let clock = Date.now();
  const slow = newSearch(() => (clock += 1_000));

  expect(await pagesOf(slow, project, "needle")).toEqual([[], [], ["3"], [], [], ["0"]]);
  expect(await pagesOf(slow, project, "needle", { session_id })).toEqual([[], [], ["3"], [], [], ["0"]]);
});

test("only the first trace of all is searched whatever is left", async () => {
  const project = await projectWith([{ input: "needle" }, { input: "needle" }]);
  const [rows, search] = [await rowsOf(project), documentSearch(database)(project, termsOf("needle"), 0)];

  expect(await search.outcomes(rows)).toEqual([expect.any(Array), "unread"]);
  expect(await search.outcomes(rows)).toEqual(["unread", "unread"]);
});

test("a page ends at its limit, and traces that came meanwhile neither shift nor repeat the next", async () => {
  const project = await projectWith(Array.from({ length: 5 }, () => ({ input: "needle" })));
  const [search, filter, needle] = [newSearch(), traceFilter({ date_to: minute(4) }), termsOf("needle")];

  const first = await search(project, needle, { filter, limit: 2, offset: 0, after: null });
  await saveTraces(database, project, [someTrace({ started_at: minute(3), name: "late", input: "needle" })]);
  const rest = await search(project, needle, { filter, limit: 2, offset: 2, after: first.last });

  expect([first, rest].map(({ rows }) => rows.map(({ name }) => name))).toEqual([
    ["3", "2"],
    ["1", "0"],
  ]);
  expect([first.searched.from, first.searched.to, rest.searched.to, rest.last]).toEqual([
    first.last?.key,
    minute(4),
    first.last?.key,
    null,
  ]);
});

test("words at the end of long texts are found, compressed or not", async () => {
  const noise = (bytes: number) => randomBytes(bytes / 2).toString("hex");
  const project = await projectWith([
    { input: `${noise(60_000)} needle` },
    { input: `${noise(3_000_000)} needle` },
    { input: `${"x".repeat(3_000_000)} needle` },
    { input: `${noise(3_000_000)} needles` },
  ]);

  expect(await pagesOf(newSearch(), project, "needle")).toEqual([["2", "1", "0"]]);
});

test("pieces that were merged after the row was read are found", async () => {
  const project = await projectWith([{}]);
  const [{ traceId }] = (await rowsOf(project)) as [PackedTrace];
  for (let index = 0; index < 20; index += 1)
    await traceStore(database, 0).addSpans(project, traceId, [
      { span_id: randomUUID(), name: "s", started_at: minute(0), output: `late ${index}` },
    ]);
  const staleRows = await rowsOf(project);
  await mergePromptly(documentMerging(database), pendingMarkers(database, "documents"))([{ project, trace: traceId }]);

  const outcomes = await documentSearch(database)(project, termsOf('"late 7"'), 9_000).outcomes(staleRows);

  expect((await rowsOf(project))[0]?.laterFields.pieces.length).toBeLessThan(
    staleRows[0]?.laterFields.pieces.length ?? 0,
  );
  expect(outcomes).toEqual([[{ span_id: expect.any(String), field: "output", snippet: "late 7" }]]);
});

test("a damaged document is counted, and refuses a search that has to be whole", async () => {
  const project = await projectWith([{ input: "needle" }, {}, { input: "needle" }]);
  const rows = await rowsOf(project);
  const damaged = rows.find(({ name }) => name === "1")?.traceId ?? "";
  await damage(project, damaged);
  const page = await newSearch()(project, termsOf("needle"), { filter: traceFilter({}), limit: 50, offset: 0 });
  const whole = wholeSearch(database)(project, rows, termsOf("needle"));

  expect([page.rows.map(({ name }) => name), page.total, page.searched]).toEqual([
    ["2", "0"],
    2,
    { rows: 3, documents: 3, skipped: 1, indexed_days: 0, from: null, to: null },
  ]);
  await expect(whole).rejects.toMatchObject({
    reason: { violations: [{ msg: expect.stringContaining(damaged) as string }] },
  });
});

test("a search that has to be whole can be repeated when its time is over", async () => {
  const project = await projectWith([{}, {}]);
  let clock = Date.now();
  const search = wholeSearch(database, () => (clock += 13_000));

  await expect(search(project, await rowsOf(project), termsOf("needle"))).rejects.toMatchObject({
    reason: { kind: "unavailable", detail: expect.stringContaining("12 s") as string },
  });
});

const searchedNothing = { rows: 0, documents: 0, skipped: 0, indexed_days: 0, from: null, to: null };

test("targets by words are refused above 5,000 traces, before a text is read", async () => {
  const project = await projectWith([{ input: "needle" }]);
  const [row] = (await rowsOf(project)) as [PackedTrace];
  const targets = (count: number, searchPages: PagedSearch | null = null) =>
    matchingTargets({
      list: {
        list: async () => ({ rows: [], total: 0, last: null }),
        matching: async (_project, _filter, visit) => {
          for (let at = 0; at < count; at += 1) visit(row, new Map());
        },
      },
      filesOf: null,
      checkRowLimit: async () => null,
      resolveFilters: filterResolver(database),
      sessionScores: newestValues(database, "session"),
      searchAll: async (_project, rows) => new Set(rows.map(({ traceId }) => traceId)),
      searchPages,
    })(project, "TRACE", { q: "needle" });

  expect(await targets(5_000)).toHaveLength(5_000);
  const tooMany = { reason: { violations: [{ loc: ["body", "filters", "q"], type: "too_many_rows" }] } };
  await expect(targets(5_001)).rejects.toMatchObject(tooMany);
  // An index of words may leave fewer.
  const page = (documents: number, last: Position | null) => ({
    rows: [row],
    matches: [],
    total: 1,
    last,
    searched: { ...searchedNothing, documents },
  });
  const pages = (documents: number) =>
    pagedSearch(async (_project, _terms, { after }) => page(documents, after == null ? { key: "", id: "" } : null));
  expect(await targets(5_001, pages(2_500))).toMatchObject([{ id: row.traceId }, { id: row.traceId }]);
  await expect(targets(5_001, pages(2_501))).rejects.toMatchObject(tooMany);
  expect(await targets(5_000, pages(2_501))).toHaveLength(5_000);
  const slow = pagedSearch(
    async () => page(1, { key: "", id: "" }),
    (
      (at) => () =>
        (at += 5_000)
    )(0),
  );
  await expect(targets(5_001, slow)).rejects.toMatchObject({ reason: { kind: "unavailable" } });
});

test("a hundred small documents take one request, and documents without the words are not parsed", async () => {
  const project = await projectWith([
    { input: "x".repeat(2_000_000) },
    ...Array.from({ length: 240 }, (_, at) => ({ input: at === 7 ? "needle" : "hay" })),
  ]);
  const budget = requestBudget();

  const pages = await withRequestBudget(budget, () => pagesOf(newSearch(), project, "needle"));

  expect(pages.flat()).toEqual(["8"]);
  expect(budget.spent.lookups).toBeLessThanOrEqual(12);
  expect(budget.spent.unpackedBytes).toBeLessThan(1_000);
});
