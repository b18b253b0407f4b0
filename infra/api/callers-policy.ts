import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Settings } from "../settings/settings.ts";

const statement = (effect: Effect, conditions: Readonly<Record<string, unknown>> = {}): PolicyStatement =>
  new PolicyStatement({
    effect,
    principals: [new AnyPrincipal()],
    actions: ["execute-api:Invoke"],
    // The gateway's own way of saying: of this API.
    resources: ["execute-api:/*"],
    conditions,
  });

/**
 * Who may call the API at all, before anybody looks at a credential; nothing where everybody may. What is not allowed is
 * denied: the authorizer's own answer cannot open it again.
 */
export const callersPolicy = ({ vpcEndpointIds, allowedAddresses }: Settings): { readonly policy?: PolicyDocument } => {
  // A request that comes through a VPC endpoint has its address under another name.
  const address = vpcEndpointIds === undefined ? "aws:SourceIp" : "aws:VpcSourceIp";
  const denied = [
    ...(vpcEndpointIds === undefined ? [] : [{ StringNotEquals: { "aws:SourceVpce": vpcEndpointIds } }]),
    ...(allowedAddresses === undefined ? [] : [{ NotIpAddress: { [address]: allowedAddresses } }]),
  ];
  if (denied.length === 0) return {};
  const statements = [statement(Effect.ALLOW), ...denied.map((condition) => statement(Effect.DENY, condition))];
  return { policy: new PolicyDocument({ statements }) };
};
