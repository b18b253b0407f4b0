import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { livingProjects } from "../../lib/store/access/living-projects.ts";
import type { Database } from "../../lib/store/database.ts";
import { sumRebuilding } from "../../lib/upkeep/rebuild-sums.ts";
import { deployedTables } from "../stack-outputs.ts";
import { type DeadLetterQueue, deadLetterQueues, redrive } from "./dead-letters.ts";

export const usage = `npm run operate -- dead-letters [--stage STAGE]
  How many letters are in each queue of what workers gave up.

npm run operate -- redrive [--stage STAGE] [--discard]
  Sends what came from a queue to it again, and prints what the other letters tell: which function failed, when and
  how. With --discard those are deleted: their records are in no queue, what mends them is in infra/README.md.

npm run operate -- rebuild counters --project ID [--stage STAGE]
  Compares every sum of a project with what it is made of, and has those mended that are wrong. Costs what reading the
  project's rows and scores costs.`;

/** What the commands work with. */
export interface Operating {
  readonly cloudFormation: CloudFormationClient;
  readonly sqs: SQSClient;
  /** Its tables are those that the stage's stack names. */
  readonly database: Database;
  readonly tell: (line: string) => void;
}

interface Choices {
  readonly stage: string;
  readonly project?: string | undefined;
  readonly discard: boolean;
}

/** Letters of one queue that are looked at in one go. */
const mostLetters = 10_000;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const redriveAll = async (
  queues: readonly DeadLetterQueue[],
  discard: boolean,
  { sqs, tell }: Operating,
): Promise<void> => {
  for (const queue of queues) {
    if (queue.letters === 0) continue;
    const { sent, discarded, left } = await redrive(sqs, queue, { discard, most: mostLetters });
    tell(`${queue.name}: ${sent} sent again, ${discarded} discarded, ${left.length} left`);
    for (const { at, told } of left) tell(`  ${at} ${told}`);
  }
};

/**
 * Does one command.
 *
 * @returns the exit code: 1 when there is no such command.
 * @throws Error in words when the stage or the project is not there; what AWS answers.
 */
export const operate = async (
  words: readonly string[],
  { stage, project, discard }: Choices,
  operating: Operating,
): Promise<number> => {
  const { cloudFormation, sqs, database, tell } = operating;
  const command = words.join(" ");
  if (command === "dead-letters" || command === "redrive") {
    const queues = await deadLetterQueues(cloudFormation, sqs, stage);
    if (command === "redrive") await redriveAll(queues, discard, operating);
    else for (const { name, letters } of queues) tell(`${name}: ${counted(letters, "letter")}`);
    return 0;
  }
  if (command === "rebuild counters" && project !== undefined) {
    const own = { ...database, table: await deployedTables(cloudFormation, stage) };
    if (!(await livingProjects(own)([project])).has(project)) throw new Error(`There is no project ${project}.`);
    const done = await sumRebuilding(own)(project, tell);
    tell(`${counted(done.hours, "hour")} of traces compared, ${done.wrongHours} computed again.`);
    tell(
      `${counted(done.scoreHours, "hour")} of scores compared, ${done.doubtfulScoreHours} noted: mended after a day.`,
    );
    tell(
      `${counted(done.doubtfulLists, "list")} noted: mended after ten minutes. Totals of traces are counted again now.`,
    );
    return 0;
  }
  tell(usage);
  return 1;
};
