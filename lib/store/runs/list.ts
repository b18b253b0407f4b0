import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { RunStatus, TargetType } from "../../domain/runs/run.ts";
import type { Database } from "../database.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { monitorRunsPartition, runListPartition } from "./keys.ts";

/** A page of runs, newest first, and the number of all that match. */
interface RunPage {
  readonly runs: readonly StoredRun[];
  readonly total: number;
}

export interface RunList {
  /** Runs of a project about one kind of target. */
  page(
    project: string,
    targetType: TargetType,
    status: RunStatus | null,
    limit: number,
    offset: number,
  ): Promise<RunPage>;
  /** Runs that a monitor has made. */
  ofMonitor(project: string, monitor: string, limit: number, offset: number): Promise<RunPage>;
}

const indexes = { list_key: "by-created", monitor_key: "by-monitor" } as const;

export const runList = ({ client, table }: Database): RunList => {
  const read = async (
    key: keyof typeof indexes,
    partition: string,
    status: RunStatus | null,
    limit: number,
    offset: number,
  ): Promise<RunPage> => {
    const runs: StoredRun[] = [];
    let total = 0;
    const pages = paginateQuery(
      { client },
      {
        TableName: table("runs"),
        IndexName: indexes[key],
        KeyConditionExpression: `${key} = :partition`,
        ScanIndexForward: false,
        ...(status === null
          ? {}
          : { FilterExpression: "#status = :status", ExpressionAttributeNames: { "#status": "status" } }),
        ExpressionAttributeValues: { ":partition": partition, ...(status === null ? {} : { ":status": status }) },
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        if (total >= offset && runs.length < limit) runs.push(unpackRun(item));
        total += 1;
      }
    }
    return { runs, total };
  };

  return {
    page: (project, targetType, status, limit, offset) =>
      read("list_key", runListPartition(project, targetType), status, limit, offset),
    ofMonitor: (project, monitor, limit, offset) =>
      read("monitor_key", monitorRunsPartition(project, monitor), null, limit, offset),
  };
};
