import { randomUUID } from "node:crypto";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { SessionScore, TraceScore } from "../../../lib/domain/scores/score.ts";
import type { Database } from "../../../lib/store/database.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { someTrace } from "../../support/traces/traces.ts";

/** A score of a trace that is not stored yet. */
export const someScore = (given: Partial<TraceScore> & Pick<TraceScore, "project_id" | "trace_id">): TraceScore => ({
  id: randomUUID(),
  name: "helpful",
  value: "0.5",
  data_type: "NUMERIC",
  status: "SUCCESS",
  source: "PROGRAMMATIC",
  reason: null,
  metadata: {},
  eval_run_id: null,
  author_user_id: null,
  environment: null,
  config_id: null,
  created_at: "2026-11-21T09:00:00.000001+00:00",
  updated_at: "2026-11-21T09:00:00.000001+00:00",
  ...given,
});

/** A score of a session that is not stored yet. */
export const someSessionScore = (
  given: Partial<SessionScore> & Pick<SessionScore, "project_id" | "session_id">,
): SessionScore => {
  const {
    trace_id: _trace,
    environment: _environment,
    config_id: _config,
    ...score
  } = someScore({
    trace_id: "",
    project_id: given.project_id,
  });
  return { ...score, ...given };
};

/** Stores a trace. @returns its id. */
export const storedTrace = async (database: Database, project: string, given: Parameters<typeof someTrace>[0] = {}) => {
  const trace = someTrace(given);
  await traceStore(database, 0).save(project, trace);
  return trace.trace_id;
};

/** Keys of everything a project has in the table of scores. */
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
