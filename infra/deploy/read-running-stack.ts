import {
  type CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  GetTemplateSummaryCommand,
  type Stack,
} from "@aws-sdk/client-cloudformation";
import * as v from "valibot";
import {
  earlierDefaultJudge,
  judgeMetadata,
  type RunningStack,
  settingsMetadata,
} from "../settings/running-settings.ts";
import { type Build, buildMetadata, buildOutputs } from "../supply/build.ts";

/** Statuses of a stack without resources: creation not started, or rolled back, or deleted. */
const nonexistentStatuses: ReadonlySet<string | undefined> = new Set([
  "REVIEW_IN_PROGRESS",
  "ROLLBACK_COMPLETE",
  "DELETE_COMPLETE",
]);

const jsonText = v.pipe(v.string(), v.parseJson());

const buildMembers = v.object({ version: v.string(), commit: v.string() });

const buildInMetadata = v.object({ [buildMetadata]: buildMembers });

const metadata = v.object({
  [settingsMetadata]: v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown())),
  [judgeMetadata]: v.exactOptional(v.string()),
});

export const isMissing = (error: unknown): boolean =>
  error instanceof CloudFormationServiceException &&
  error.name === "ValidationError" &&
  error.message.includes("does not exist");

/** Reads the build of a stack from its outputs; builds of 1.0.0 before these have it in the template's metadata only. */
const buildOf = ({ Outputs = [] }: Stack, templateMetadata: unknown): Build | undefined => {
  const outputs = Object.fromEntries(Outputs.map(({ OutputKey = "", OutputValue }) => [OutputKey, OutputValue]));
  const stated = v.safeParse(buildMembers, {
    version: outputs[buildOutputs.version],
    commit: outputs[buildOutputs.commit],
  });
  if (stated.success) return stated.output;
  const recorded = v.safeParse(buildInMetadata, templateMetadata);
  return recorded.success ? recorded.output[buildMetadata] : undefined;
};

/** Reads the build of a deployed stack, and its explicit settings from its template's metadata. @throws errors of AWS, except that the stack does not exist. */
export const readRunningStack = async (client: CloudFormationClient, StackName: string): Promise<RunningStack> => {
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    if (stack === undefined || nonexistentStatuses.has(stack.StackStatus)) return { kind: "none" };
    const { Metadata = "{}" } = await client.send(new GetTemplateSummaryCommand({ StackName }));
    const templateMetadata = v.parse(jsonText, Metadata);
    const build = buildOf(stack, templateMetadata);
    const stated = build === undefined ? {} : { build };
    const parsedMetadata = v.safeParse(metadata, templateMetadata);
    if (!parsedMetadata.success) return { kind: "silent", ...stated };
    const { [settingsMetadata]: explicitSettings = {}, [judgeMetadata]: judge } = parsedMetadata.output;
    const namedJudge = explicitSettings["judgeModel"];
    const judgeModel = judge ?? (typeof namedJudge === "string" ? namedJudge : earlierDefaultJudge);
    return { kind: "settings", ...stated, explicitSettings, judgeModel };
  } catch (error) {
    if (isMissing(error)) return { kind: "none" };
    throw error;
  }
};
