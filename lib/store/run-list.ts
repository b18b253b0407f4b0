import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { RunStatus, TargetType } from "../domain/run.ts";
import type { Database } from "./database.ts";
import { unpackRun, type StoredRun } from "./run-codec.ts";
import { runListPartition } from "./run-keys.ts";

export interface RunList {
  /** One page of a project's runs of one target type, newest first, and the number of all that match. */
  page(
    project: string,
    targetType: TargetType,
    status: RunStatus | null,
    limit: number,
    offset: number,
  ): Promise<{ readonly runs: readonly StoredRun[]; readonly total: number }>;
}

export const runList = ({ client, table }: Database): RunList => ({
  page: async (project, targetType, status, limit, offset) => {
    const runs: StoredRun[] = [];
    let total = 0;
    const pages = paginateQuery(
      { client },
      {
        TableName: table("runs"),
        IndexName: "by-created",
        KeyConditionExpression: "list_key = :list",
        ScanIndexForward: false,
        ...(status === null
          ? {}
          : { FilterExpression: "#status = :status", ExpressionAttributeNames: { "#status": "status" } }),
        ExpressionAttributeValues: {
          ":list": runListPartition(project, targetType),
          ...(status === null ? {} : { ":status": status }),
        },
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        if (total >= offset && runs.length < limit) runs.push(unpackRun(item));
        total += 1;
      }
    }
    return { runs, total };
  },
});
