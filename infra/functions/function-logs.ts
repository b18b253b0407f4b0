import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Settings } from "../settings/settings.ts";

/** Creates a log group for functions. In a shared group, a log stream's name contains the function's name. */
export const functionLogs = (
  scope: Construct,
  id: string,
  { logRetentionDays }: Pick<Settings, "logRetentionDays">,
): LogGroup => new LogGroup(scope, id, { retention: logRetentionDays, removalPolicy: RemovalPolicy.DESTROY });
