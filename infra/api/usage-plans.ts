import { createHash } from "node:crypto";
import { Aws, Stack } from "aws-cdk-lib";
import { CfnApiKey, CfnUsagePlan, CfnUsagePlanKey, type Stage } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import type { Route } from "../../lib/contract/route.ts";
import { type Throttle, withinAccount } from "./account-throttle.ts";

const planThrottle = (scope: Construct, throttle: Throttle): CfnUsagePlan.ThrottleSettingsProperty => {
  const { rate, burst } = withinAccount(scope, throttle);
  return { rateLimit: rate, burstLimit: burst };
};

/**
 * Returns the throttle of one client over all routes. The gateway applies this throttle and the method's, and the lower one
 * wins: a method limit above it raises it, or the limit could never be reached.
 */
const clientGuard = (factor: number, throttles: readonly Throttle[]): Throttle => ({
  rate: Math.max(100 * factor, ...throttles.map(({ rate }) => rate)),
  burst: Math.max(200 * factor, ...throttles.map(({ burst }) => burst)),
});

/** Returns the throttle of all clients of the shared key together, which protects the service and is no limit of a single client. */
const sharedGuard = (factor: number): Throttle => ({ rate: 1_000 * factor, burst: 2_000 * factor });

/** Writes per second that one client's counter accepts: DynamoDB's limit for an item. */
const counterCeiling = 1_000;

/**
 * Returns a method's throttle, twice its limit per minute. The exact count admits a full minute's requests at the end of one
 * minute and again at the start of the next; the burst admits both, up to 1,000 at once.
 */
const methodThrottle = (perMinute: number, factor: number): Throttle => ({
  rate: (2 * perMinute * factor) / 60,
  burst: Math.min(2 * perMinute * factor, counterCeiling),
});

/**
 * Maximum number of method throttles for a stage in a usage plan (API Gateway developer guide, REST API quotas; AWS raises it
 * on request).
 */
const maxMethodThrottles = 20;

/** Returns the throttles of limited routes by path and method. @throws Error if there are more than a usage plan accepts. */
const methodThrottles = (routes: readonly Route[], factor: number) => {
  const throttles = routes.flatMap(({ path, method, limitPerMinute }) =>
    limitPerMinute === undefined ? [] : [[`${path}/${method}`, methodThrottle(limitPerMinute, factor)] as const],
  );
  if (throttles.length > maxMethodThrottles) {
    throw new Error(
      `${throttles.length} routes have a limit, and a usage plan of API Gateway accepts ${maxMethodThrottles}: ` +
        `remove ${throttles.length - maxMethodThrottles} from the setting limits.`,
    );
  }
  return Object.fromEntries(throttles);
};

/**
 * Returns the value of the stack's shared API Gateway key: alphanumeric, one for each account and stack. The value is no secret:
 * the gateway reads keys only from the authorizer's reply, and uses them only to throttle.
 */
export const sharedUsageKey = (scope: Construct): string =>
  `assay${createHash("sha256").update(Stack.of(scope).stackName).digest("hex").slice(0, 24)}${Aws.ACCOUNT_ID}`;

export interface UsagePlansProps {
  readonly apiId: string;
  readonly stage: Stage;
  readonly routes: readonly Route[];
  readonly limitFactor: number;
}

/**
 * The two usage plans. Clients with their own gateway key are in the first, each with its own throttles; all other clients share
 * one key in the second, which therefore has no throttles of methods.
 *
 * The first plan must keep its logical id: a new plan would not contain the keys that were created at run time.
 */
export class UsagePlans extends Construct {
  /** Id of the usage plan of keys that belong to one client each. */
  readonly clientsPlanId: string;

  constructor(scope: Construct, id: string, { apiId, stage, routes, limitFactor }: UsagePlansProps) {
    super(scope, id);
    const throttlesByMethod = methodThrottles(routes, limitFactor);
    const clients = new CfnUsagePlan(this, "Clients", {
      description: "Clients with a gateway key of their own.",
      throttle: planThrottle(this, clientGuard(limitFactor, Object.values(throttlesByMethod))),
      apiStages: [{ apiId, stage: stage.stageName, throttle: this.planThrottles(throttlesByMethod) }],
    });
    this.clientsPlanId = clients.ref;
    const shared = new CfnUsagePlan(this, "Shared", {
      description: "Clients that share one gateway key.",
      throttle: planThrottle(this, sharedGuard(limitFactor)),
      apiStages: [{ apiId, stage: stage.stageName }],
    });
    const key = new CfnApiKey(this, "SharedKey", { enabled: true, value: sharedUsageKey(this) });
    new CfnUsagePlanKey(this, "SharedPlanKey", { keyId: key.ref, keyType: "API_KEY", usagePlanId: shared.ref });
  }

  private planThrottles(throttles: Readonly<Record<string, Throttle>>) {
    return Object.fromEntries(Object.entries(throttles).map(([method, each]) => [method, planThrottle(this, each)]));
  }
}
