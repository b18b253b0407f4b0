import { randomUUID } from "node:crypto";
import { paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, inject, test } from "vitest";
import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { createTrace, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { segmentsPartition } from "../../../lib/store/sessions/segment-keys.ts";
import { seeded } from "../../support/random.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { databaseAt } from "../../support/service/service-database.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { writeRows } from "../../support/traces/rows.ts";

const database = databaseAt(inject("storage"));
const start = Date.UTC(2026, 9, 1);
const traces = 1_150;

/** Items with aggregates of the sessions of a project. */
const segmentsOf = async (project: string) => {
  const pages = paginateQuery(
    { client: database.client },
    {
      TableName: database.table("aggregates"),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": segmentsPartition(project) },
    },
  );
  const segments: Record<string, unknown>[] = [];
  for await (const { Items = [] } of pages) segments.push(...Items.filter((item) => item["to"] !== undefined));
  return segments;
};

/** Backdates the session aggregates of a project. */
const age = async (project: string): Promise<void> => {
  for (const { pk, sk } of await segmentsOf(project)) {
    await database.client.send(
      new UpdateCommand({
        TableName: database.table("aggregates"),
        Key: { pk, sk },
        UpdateExpression: "SET #at = #at - :old",
        ExpressionAttributeNames: { "#at": "at" },
        ExpressionAttributeValues: { ":old": 100_000 },
      }),
    );
  }
};

test("a large session gives the same replies before its aggregates are stored, meanwhile and from them, and includes later traces", async () => {
  const client = newProject(inject("service"));
  const create = (second: number) => {
    const body = { trace_id: randomUUID(), name: "x", session_id: "s", started_at: instantAt(start + second * 1000) };
    return client.answer(createTrace, { body });
  };
  const { trace_id } = await create(0);
  await create(traces - 1);
  const { project_id } = await client.answer(getTrace, { params: { trace_id } });
  const random = seeded(1);
  const rows = Array.from({ length: traces - 2 }, (_, index) => ({
    ...generateRow(random, start + (index + 1) * 1000),
    sessionId: "s",
  }));
  await writeRows(database, project_id, rows);
  const total = (count: number) =>
    eventually(async () => ((await client.answer(listTraces)).total === count ? true : undefined));
  await total(traces);
  const readPages = async () =>
    Promise.all(
      [0, traces - 3].map((offset) =>
        client.answer(getSession, { params: { session_id: "s" }, query: { limit: 5, offset } }),
      ),
    );

  const [before, newSegments] = [await readPages(), await segmentsOf(project_id)];
  await age(project_id);
  const [meanwhile, agedSegments] = [await readPages(), await segmentsOf(project_id)];
  const after = await readPages();
  await create(10);

  expect(before.map(({ trace_count, traces: pageTraces }) => [trace_count, pageTraces.length])).toEqual([
    [traces, 1],
    [traces, 1],
  ]);
  expect([newSegments, agedSegments].map((segments) => segments.map(({ d }) => typeof d))).toEqual([
    ["undefined"],
    ["string"],
  ]);
  expect(meanwhile).toEqual(before);
  expect(after).toEqual(before);
  await eventually(async () => ((await readPages())[0]?.trace_count === traces + 1 ? true : undefined));
  await total(traces + 1);
});
