import { CfnQueryDefinition, LogGroup } from "aws-cdk-lib/aws-logs";
import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";

/**
 * CloudWatch Logs Insights query: the log lines with an id, oldest first, of a run, `traceparent`, request, key, project or
 * organization. An operator replaces `ID`. Lines are searched as text, because field discovery depends on the log group's name.
 */
export const idQuery: readonly string[] = [
  'filter @message like "ID"',
  String.raw`parse @message /"event":"(?<event>[^"]+)"/`,
  "sort @timestamp asc",
  "display @timestamp, event, @log, @message",
  "limit 10000",
];

/** Saves the query of an id over all log groups of the stack, of which Logs Insights reads at most 50 at a time. Must be created after them. */
export const saveIdQuery = (scope: Construct, id: string, stage: string): void => {
  const groups = Stack.of(scope)
    .node.findAll()
    .filter((construct) => construct instanceof LogGroup);
  new CfnQueryDefinition(scope, id, {
    name: `assay/${stage}/lines-of-an-id`,
    queryString: idQuery.join("\n| "),
    logGroupNames: groups.map(({ logGroupName }) => logGroupName),
  });
};
