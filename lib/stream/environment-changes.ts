import type { DynamoDBRecord } from "aws-lambda";
import { mapConcurrently } from "../async/concurrency.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import { dayOfPartition } from "../store/traces/keys.ts";
import { rowInImage } from "./row-image.ts";

/** Traces whose scores are looked up at the same time. */
const parallel = 20;

/** Returns the trace of a record if it may have an environment only now. A row that starts earlier now is another item. */
const tracesOf = ({ dynamodb }: DynamoDBRecord) => {
  const { pk, sk } = dynamodb?.Keys ?? {};
  if (pk?.B === undefined || sk?.B === undefined) return [];
  const before = rowInImage(dynamodb?.OldImage, sk.B, dynamodb?.ApproximateCreationDateTime ?? 0);
  const after = rowInImage(dynamodb?.NewImage, sk.B, 0);
  if (before === null || before.environment !== null || after?.environment === null) return [];
  return [{ project: dayOfPartition(Buffer.from(pk.B, "base64")).project, trace: before.traceId }];
};

/** Returns a function that hands on the traces of the rows stream which have an environment only now. */
export const followEnvironments =
  (update: (project: string, trace: string) => Promise<void>, living: ExistingProjects) =>
  async (records: readonly DynamoDBRecord[]): Promise<void> => {
    const traces = new Map(records.flatMap(tracesOf).map((each) => [`${each.project} ${each.trace}`, each]));
    if (traces.size === 0) return;
    const alive = await living(Array.from(traces.values(), ({ project }) => project));
    await mapConcurrently(traces.values(), parallel, async ({ project, trace }) => {
      if (alive.has(project)) await update(project, trace);
    });
  };
