import {
  type CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  GetTemplateSummaryCommand,
} from "@aws-sdk/client-cloudformation";
import * as v from "valibot";
import { type Running, settingsMetadata } from "../settings/running-settings.ts";

/** Of a stack that was never there: its creation was asked for, or failed and was undone. */
const unmade: ReadonlySet<string | undefined> = new Set(["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "DELETE_COMPLETE"]);

const metadata = v.object({
  [settingsMetadata]: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown())),
});

const isMissing = (error: unknown): boolean =>
  error instanceof CloudFormationServiceException &&
  error.name === "ValidationError" &&
  error.message.includes("does not exist");

/** What is known of the stack of that name. @throws what AWS answers, but for that there is no such stack. */
export const askForStack = async (client: CloudFormationClient, StackName: string): Promise<Running> => {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    if (stack === undefined || unmade.has(stack.StackStatus)) return { kind: "none" };
    const { Metadata = "{}" } = await client.send(new GetTemplateSummaryCommand({ StackName }));
    const said = v.safeParse(metadata, JSON.parse(Metadata));
    return said.success ? { kind: "settings", chosen: said.output[settingsMetadata] ?? {} } : { kind: "silent" };
  } catch (error) {
    if (isMissing(error)) return { kind: "none" };
    throw error;
  }
};
