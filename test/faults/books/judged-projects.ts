import { randomUUID } from "node:crypto";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { Project } from "../../../lib/domain/access/principal.ts";
import { wholeTargets, type RunOrder } from "../../../lib/domain/runs/run.ts";
import { withLogContext } from "../../../lib/log-context.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runPartition, slicePrefix } from "../../../lib/store/runs/keys.ts";
import { unpackSlice } from "../../../lib/store/runs/slice-codec.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Random } from "../../support/random.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { someTrace } from "../../support/traces/traces.ts";

/** A run that is being judged, with its slices. */
interface JudgedRun {
  readonly order: RunOrder;
  readonly slices: readonly string[];
}

export interface JudgedProject {
  readonly project: Project;
  readonly owner: string;
  readonly runs: readonly JudgedRun[];
}

/** Enough metrics for each target to need a slice of its own. */
const metrics = Array.from({ length: 50 }, (_, index) => `metric_${index}`);

/** Yields the slices of a run as stored. */
export const slicesOf = async function* ({ client, table }: Database, { projectId, id }: RunOrder) {
  const pages = paginateQuery(
    { client },
    {
      TableName: table("runs"),
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": runPartition(projectId, id), ":prefix": slicePrefix },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) yield* Items.map(unpackSlice);
};

/** Stores a project with one or two runs of one or two slices each. */
export const judgedProject = async (
  database: Database,
  organizationId: string,
  owner: string,
  random: Random,
  at: number,
): Promise<JudgedProject> => {
  const project = await accessStore(database, 1_000).findOrCreateProject(organizationId, randomUUID());
  const runs: JudgedRun[] = [];
  for (let remaining = random.chance(0.3) ? 2 : 1; remaining > 0; remaining -= 1) {
    const traces = Array.from({ length: random.between(1, 2) }, () => someTrace());
    await saveTraces(database, project.id, traces);
    const order = someOrder({
      projectId: project.id,
      metrics,
      resolvedModel: "scripted/judge",
      maxCostUsd: random.chance(0.3) ? 100 : null,
      total: traces.length,
      createdAt: instantAt(at),
    });
    const targets = wholeTargets(traces.map(({ trace_id }) => trace_id));
    await withLogContext({ organization_id: organizationId }, () => runCreation(database, () => at)(order, targets));
    const slices: string[] = [];
    for await (const { slice } of slicesOf(database, order)) slices.push(slice.id);
    runs.push({ order, slices });
  }
  return { project, owner, runs };
};
