import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Settings } from "../settings/settings.ts";

const statement = (effect: Effect, conditions: Readonly<Record<string, unknown>> = {}): PolicyStatement =>
  new PolicyStatement({
    effect,
    principals: [new AnyPrincipal()],
    actions: ["execute-api:Invoke"],
    // API Gateway completes this to the ARN of the API.
    resources: ["execute-api:/*"],
    conditions,
  });

/**
 * Returns the resource policy that limits callers to VPC endpoints and addresses before credentials are checked; none without
 * such settings. The policy uses explicit denies, which the authorizer's policy cannot override.
 */
export const callersPolicy = ({ vpcEndpointIds, allowedAddresses }: Settings): { readonly policy?: PolicyDocument } => {
  // Requests through a VPC endpoint have their address in another condition key.
  const address = vpcEndpointIds === undefined ? "aws:SourceIp" : "aws:VpcSourceIp";
  const denyConditions = [
    ...(vpcEndpointIds === undefined ? [] : [{ StringNotEquals: { "aws:SourceVpce": vpcEndpointIds } }]),
    ...(allowedAddresses === undefined ? [] : [{ NotIpAddress: { [address]: allowedAddresses } }]),
  ];
  if (denyConditions.length === 0) return {};
  const statements = [statement(Effect.ALLOW), ...denyConditions.map((condition) => statement(Effect.DENY, condition))];
  return { policy: new PolicyDocument({ statements }) };
};
