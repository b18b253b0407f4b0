import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { nameAdvice } from "../../lib/domain/nearest-name.ts";
import { existingProjects } from "../../lib/store/access/existing-projects.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { sumRebuild } from "../../lib/maintenance/rebuild-sums.ts";
import type { Ask } from "./confirm.ts";
import { deadLetterQueues, redrive } from "./dead-letters.ts";
import { deleteOrganization, deleteProject } from "./deletions.ts";
import { type KeyOptions, listKeys, revokeKey, rotateKey } from "./keys.ts";
import { operatorDatabase, type OperatorTarget } from "./operator-database.ts";

export const usage = `Each command takes [--stage STAGE], dev by default; the last six also --local, the running service of npm start.

npm run operate -- dead-letters
  Counts the messages in each dead-letter queue.

npm run operate -- redrive [--discard]
  Sends dead messages to their source queue again. Prints all other dead letters, which report a failed function with
  time and reason; --discard deletes these, and infra/runbook.md explains how their effects are repaired.

npm run operate -- rebuild counters --project ID
  Compares all totals and rollups of a project with its rows and scores, and repairs those that are wrong. The cost is
  that of reading the project's rows and scores.

npm run operate -- keys list [--organization ID]
  Lists API keys with organization, scope, state, end and last use. Without an organization this command and the next
  two read the whole table of organizations and keys.

npm run operate -- keys revoke KEY_ID [--organization ID] [--yes]
  Revokes an API key for good. Asks for its name, unless --yes is given.

npm run operate -- keys rotate KEY_ID [--organization ID] [--expires-days N]
  Prints a new API key with the name and the restrictions of this one, which stays valid. It ends after N days; by
  default after 90, or never if the old one never ends.

npm run operate -- projects delete PROJECT_ID [--yes]
npm run operate -- organizations delete ORGANIZATION_ID [--yes]
  Deletes a project or an organization with all its data. Asks for its name, unless --yes is given.`;

/** Clients, input and output of the operator commands. */
export interface OperateDependencies {
  readonly cloudFormation: CloudFormationClient;
  readonly sqs: SQSClient;
  /** DynamoDB connection; the commands take the table names from the stage's stack. */
  readonly database: Database;
  readonly print: (line: string) => void;
  readonly ask: Ask;
}

interface OperateOptions extends OperatorTarget, KeyOptions {
  readonly project?: string | undefined;
  readonly discard: boolean;
}

/** Maximum number of dead letters to process in one queue. */
const maxLetters = 10_000;

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

type Command = (
  options: OperateOptions,
  dependencies: OperateDependencies & { readonly openDatabase: () => Promise<Database> },
  id: string,
) => Promise<void>;

const countLetters: Command = async ({ stage }, { cloudFormation, sqs, print }) => {
  for (const { name, letterCount } of await deadLetterQueues(cloudFormation, sqs, stage))
    print(`${name}: ${countText(letterCount, "letter")}`);
};

const redriveAll: Command = async ({ stage, discard }, { cloudFormation, sqs, print }) => {
  for (const queue of await deadLetterQueues(cloudFormation, sqs, stage)) {
    if (queue.letterCount === 0) continue;
    const { sentCount, discardedCount, remaining } = await redrive(sqs, queue, { discard, maxLetters });
    print(`${queue.name}: ${sentCount} sent again, ${discardedCount} discarded, ${remaining.length} left`);
    for (const { at, summary } of remaining) print(`  ${at} ${summary}`);
  }
};

const rebuildCounters: Command = async ({ project }, { openDatabase, print }) => {
  if (project === undefined) throw new Error("Which project? Add --project ID.");
  const database = await openDatabase();
  if (!(await existingProjects(database)([project])).has(project)) throw new Error(`There is no project ${project}.`);
  const summary = await sumRebuild(database)(project, print);
  print(`${countText(summary.hours, "hour")} of traces compared, ${summary.wrongHours} recomputed.`);
  print(
    `${countText(summary.scoreHours, "hour")} of scores compared, ${summary.doubtfulScoreHours} marked: repaired after a day.`,
  );
  print(
    `${countText(summary.doubtfulLists, "list")} marked: repaired after ten minutes. Totals of traces are being recounted.`,
  );
};

/** Commands by their words. `object` names the object whose id follows the words. */
const commands: Readonly<Record<string, { readonly run: Command; readonly object?: string }>> = {
  "dead-letters": { run: countLetters },
  redrive: { run: redriveAll },
  "rebuild counters": { run: rebuildCounters },
  "keys list": { run: async (options, { openDatabase, print }) => listKeys(await openDatabase(), options, print) },
  "keys revoke": {
    run: async (options, { openDatabase, ...rest }, id) => revokeKey(await openDatabase(), id, options, rest),
    object: "API key",
  },
  "keys rotate": {
    run: async (options, { openDatabase, print }, id) => rotateKey(await openDatabase(), id, options, print),
    object: "API key",
  },
  "projects delete": {
    run: async ({ yes }, { openDatabase, ...rest }, id) => deleteProject(await openDatabase(), id, { yes, ...rest }),
    object: "project",
  },
  "organizations delete": {
    run: async ({ yes }, { openDatabase, ...rest }, id) =>
      deleteOrganization(await openDatabase(), id, { yes, ...rest }),
    object: "organization",
  },
};

/**
 * Runs one operator command.
 *
 * @param commandWords words of the command line, such as `rebuild`, `counters`.
 * @returns the exit code; 1 for an unknown command, after printing the usage.
 * @throws Error if the stage, or the object of the command, does not exist, or the command is not confirmed; errors of AWS.
 */
export const operate = async (
  commandWords: readonly string[],
  options: OperateOptions,
  dependencies: OperateDependencies,
): Promise<number> => {
  const { cloudFormation, database, print } = dependencies;
  const refuse = (sentence: string): number => {
    print(`${usage}\n\n${sentence}`);
    return 1;
  };
  const names = Object.keys(commands);
  const name = names.find((each) => `${commandWords.join(" ")} `.startsWith(`${each} `));
  const command = name === undefined ? undefined : commands[name];
  const words = commandWords.slice(0, 2).join(" ");
  if (name === undefined || command === undefined)
    return refuse(words === "" ? "Which command?" : `There is no command ${words}${nameAdvice(words, names)}`);
  const [id = "", ...others] = commandWords.slice(name.split(" ").length);
  if ((id === "") !== (command.object === undefined) || others.length > 0)
    return refuse(
      `${name} takes ${command.object === undefined ? "no more words" : `the id of one ${command.object}`}.`,
    );
  const isOfQueues = command.run === countLetters || command.run === redriveAll;
  if (options.local && isOfQueues)
    return refuse("The queues of the local service are in memory: there is nothing to do.");
  const openDatabase = () => operatorDatabase(options, cloudFormation, database);
  await command.run(options, { ...dependencies, openDatabase }, id);
  return 0;
};
