import type { DynamoDBRecord } from "aws-lambda";

/** The run that a record of the runs' stream is about. @throws when it is about none. */
export const runOfRecord = ({ dynamodb }: DynamoDBRecord): { readonly project: string; readonly run: string } => {
  const [project, kind, run] = dynamodb?.Keys?.["pk"]?.S?.split("#") ?? [];
  if (project === undefined || kind !== "run" || run === undefined) throw new Error("The record is of no run.");
  return { project, run };
};
