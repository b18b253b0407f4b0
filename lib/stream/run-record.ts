import type { DynamoDBRecord } from "aws-lambda";

export interface RunKey {
  readonly project: string;
  readonly run: string;
}

/** Returns the run of a stream record of the runs table. @throws Error if the record is not about a run. */
export const runOfRecord = ({ dynamodb }: DynamoDBRecord): RunKey => {
  const [project, kind, run] = dynamodb?.Keys?.["pk"]?.S?.split("#") ?? [];
  if (project === undefined || kind !== "run" || run === undefined) throw new Error("The record is not about a run.");
  return { project, run };
};
