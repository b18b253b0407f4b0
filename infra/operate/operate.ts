import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { existingProjects } from "../../lib/store/access/existing-projects.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { sumRebuild } from "../../lib/maintenance/rebuild-sums.ts";
import { deployedTables } from "../stack-outputs.ts";
import { type DeadLetterQueue, deadLetterQueues, redrive } from "./dead-letters.ts";

export const usage = `npm run operate -- dead-letters [--stage STAGE]
  Counts the messages in each dead-letter queue.

npm run operate -- redrive [--stage STAGE] [--discard]
  Sends dead messages to their source queue again. Prints all other dead letters, which report a failed function with
  time and reason; --discard deletes these, and infra/README.md explains how their effects are repaired.

npm run operate -- rebuild counters --project ID [--stage STAGE]
  Compares all totals and rollups of a project with its rows and scores, and repairs those that are wrong. The cost is
  that of reading the project's rows and scores.`;

/** Clients and output of the operator commands. */
export interface OperateDependencies {
  readonly cloudFormation: CloudFormationClient;
  readonly sqs: SQSClient;
  /** DynamoDB connection; the commands take the table names from the stage's stack. */
  readonly database: Database;
  readonly print: (line: string) => void;
}

interface OperateOptions {
  readonly stage: string;
  readonly project?: string | undefined;
  readonly discard: boolean;
}

/** Maximum number of dead letters to process in one queue. */
const maxLetters = 10_000;

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const redriveAll = async (
  queues: readonly DeadLetterQueue[],
  discard: boolean,
  { sqs, print }: OperateDependencies,
): Promise<void> => {
  for (const queue of queues) {
    if (queue.letterCount === 0) continue;
    const { sentCount, discardedCount, remaining } = await redrive(sqs, queue, { discard, maxLetters });
    print(`${queue.name}: ${sentCount} sent again, ${discardedCount} discarded, ${remaining.length} left`);
    for (const { at, summary } of remaining) print(`  ${at} ${summary}`);
  }
};

/**
 * Runs one operator command.
 *
 * @param commandWords words of the command line, such as `rebuild`, `counters`.
 * @returns the exit code; 1 for an unknown command, after printing the usage.
 * @throws Error if the stage or the project does not exist; errors of AWS.
 */
export const operate = async (
  commandWords: readonly string[],
  { stage, project, discard }: OperateOptions,
  dependencies: OperateDependencies,
): Promise<number> => {
  const { cloudFormation, sqs, database, print } = dependencies;
  const command = commandWords.join(" ");
  if (command === "dead-letters" || command === "redrive") {
    const queues = await deadLetterQueues(cloudFormation, sqs, stage);
    if (command === "redrive") await redriveAll(queues, discard, dependencies);
    else for (const { name, letterCount } of queues) print(`${name}: ${countText(letterCount, "letter")}`);
    return 0;
  }
  if (command === "rebuild counters" && project !== undefined) {
    const stageDatabase = { ...database, table: await deployedTables(cloudFormation, stage) };
    if (!(await existingProjects(stageDatabase)([project])).has(project))
      throw new Error(`There is no project ${project}.`);
    const summary = await sumRebuild(stageDatabase)(project, print);
    print(`${countText(summary.hours, "hour")} of traces compared, ${summary.wrongHours} recomputed.`);
    print(
      `${countText(summary.scoreHours, "hour")} of scores compared, ${summary.doubtfulScoreHours} marked: repaired after a day.`,
    );
    print(
      `${countText(summary.doubtfulLists, "list")} marked: repaired after ten minutes. Totals of traces are being recounted.`,
    );
    return 0;
  }
  print(usage);
  return 1;
};
