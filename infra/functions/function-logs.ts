import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Settings } from "../settings/settings.ts";

/** A group for the logs of functions. In one that functions share, the name of a stream says whose it is. */
export const functionLogs = (
  scope: Construct,
  id: string,
  { logRetentionDays }: Pick<Settings, "logRetentionDays">,
): LogGroup => new LogGroup(scope, id, { retention: logRetentionDays, removalPolicy: RemovalPolicy.DESTROY });
