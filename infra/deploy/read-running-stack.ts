import {
  type CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  GetTemplateSummaryCommand,
} from "@aws-sdk/client-cloudformation";
import * as v from "valibot";
import {
  earlierDefaultJudge,
  judgeMetadata,
  type RunningStack,
  settingsMetadata,
} from "../settings/running-settings.ts";

/** Statuses of a stack without resources: creation not started, or rolled back, or deleted. */
const nonexistentStatuses: ReadonlySet<string | undefined> = new Set([
  "REVIEW_IN_PROGRESS",
  "ROLLBACK_COMPLETE",
  "DELETE_COMPLETE",
]);

const metadata = v.object({
  [settingsMetadata]: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown())),
  [judgeMetadata]: v.exactOptional(v.string()),
});

const isMissing = (error: unknown): boolean =>
  error instanceof CloudFormationServiceException &&
  error.name === "ValidationError" &&
  error.message.includes("does not exist");

/** Reads the explicit settings of a deployed stack from its template's metadata. @throws errors of AWS, except that the stack does not exist. */
export const readRunningStack = async (client: CloudFormationClient, StackName: string): Promise<RunningStack> => {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    if (stack === undefined || nonexistentStatuses.has(stack.StackStatus)) return { kind: "none" };
    const { Metadata = "{}" } = await client.send(new GetTemplateSummaryCommand({ StackName }));
    const parsedMetadata = v.safeParse(metadata, JSON.parse(Metadata));
    if (!parsedMetadata.success) return { kind: "silent" };
    const { [settingsMetadata]: explicitSettings = {}, [judgeMetadata]: judge } = parsedMetadata.output;
    const namedJudge = explicitSettings["judgeModel"];
    const judgeModel = judge ?? (typeof namedJudge === "string" ? namedJudge : earlierDefaultJudge);
    return { kind: "settings", explicitSettings, judgeModel };
  } catch (error) {
    if (isMissing(error)) return { kind: "none" };
    throw error;
  }
};
