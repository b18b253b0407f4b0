import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { SessionScore, TraceScore } from "../../../lib/domain/scores/score.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { someScore as traceScore, someSessionScore as sessionScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";

const defaults = {
  name: "helpful",
  value: "0.5",
  source: "PROGRAMMATIC",
  created_at: "2026-11-21T09:00:00.000001+00:00",
  updated_at: "2026-11-21T09:00:00.000001+00:00",
} as const;

/** Builds a trace's score that is not stored yet. */
export const someScore = (overrides: Parameters<typeof traceScore>[0]): TraceScore =>
  traceScore({ ...defaults, ...overrides });

/** Builds a session's score that is not stored yet. */
export const someSessionScore = (overrides: Parameters<typeof sessionScore>[0]): SessionScore =>
  sessionScore({ ...defaults, ...overrides });

/** Stores a trace. @returns its id. */
export const storedTrace = async (
  database: Database,
  project: string,
  overrides: Parameters<typeof someTrace>[0] = {},
) => {
  const trace = someTrace(overrides);
  await traceStore(database, 0).save(project, trace);
  return trace.trace_id;
};

/** Keys of all items of a project in the scores table, as "pk sk", sorted. */
export const scoreKeys = async ({ client, table }: Database, project: string): Promise<readonly string[]> => {
  const { Items = [] } = await client.send(
    new ScanCommand({
      TableName: table("scores"),
      FilterExpression: "begins_with(pk, :project)",
      ExpressionAttributeValues: { ":project": project },
    }),
  );
  return Items.map(({ pk, sk }) => `${String(pk)} ${String(sk)}`).toSorted();
};
