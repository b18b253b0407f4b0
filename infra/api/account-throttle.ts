import { Aws, CfnCondition, Fn, Stack, Token } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Requests a second and as burst. */
export interface Throttle {
  readonly rate: number;
  readonly burst: number;
}

/** Default throttle of an AWS account in most Regions; higher values of a stage or of a plan have no effect. */
const accountThrottle: Throttle = { rate: 10_000, burst: 5_000 };

/** Default throttle of an AWS account in `smallRegions`. */
const smallRegionThrottle: Throttle = { rate: 2_500, burst: 1_250 };

/** Regions with a lower default throttle (API Gateway developer guide, account-level quotas). */
export const smallRegions: readonly string[] = [
  "af-south-1",
  "ap-south-2",
  "ap-southeast-3",
  "ap-southeast-4",
  "ap-southeast-5",
  "ap-southeast-7",
  "ca-west-1",
  "eu-central-2",
  "eu-south-1",
  "eu-south-2",
  "il-central-1",
  "me-central-1",
  "mx-central-1",
];

const conditionId = "IsRegionWithLowerThrottle";

const smallRegionCondition = (stack: Stack): string => {
  const existing = stack.node.tryFindChild(conditionId);
  if (existing instanceof CfnCondition) return existing.logicalId;
  const isRegion = smallRegions.map((region) => Fn.conditionEquals(Aws.REGION, region));
  return new CfnCondition(stack, conditionId, { expression: Fn.conditionOr(...isRegion) }).logicalId;
};

/** Returns a throttle that does not exceed the account's in the Region of the deployment, which the template learns from CloudFormation. */
export const withinAccount = (scope: Construct, throttle: Throttle): Throttle => {
  const limited = (name: keyof Throttle): number => {
    const value = Math.min(Math.ceil(throttle[name]), accountThrottle[name]);
    const lower = smallRegionThrottle[name];
    return value <= lower ? value : Token.asNumber(Fn.conditionIf(smallRegionCondition(Stack.of(scope)), lower, value));
  };
  return { rate: limited("rate"), burst: limited("burst") };
};
