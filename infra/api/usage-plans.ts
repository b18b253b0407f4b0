import { createHash } from "node:crypto";
import { Aws, Stack } from "aws-cdk-lib";
import { CfnApiKey, CfnUsagePlan, CfnUsagePlanKey, type Stage } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import type { Route } from "../../lib/contract/route.ts";

/** The account's default ceilings in requests per second and at once: a plan above them would promise nothing. */
const accountCeiling = { rate: 10_000, burst: 5_000 };

const throttle = (rate: number, burst: number): CfnUsagePlan.ThrottleSettingsProperty => ({
  rateLimit: Math.min(Math.ceil(rate), accountCeiling.rate),
  burstLimit: Math.min(Math.ceil(burst), accountCeiling.burst),
});

/**
 * Guard on one client, whatever it calls. The gateway holds a client to both, its method's throttle and this one, and the lower
 * one wins: a limit that is set higher raises the guard, or it could never be reached.
 */
const clientGuard = (factor: number, throttles: readonly CfnUsagePlan.ThrottleSettingsProperty[]) => {
  const most = (of: (one: CfnUsagePlan.ThrottleSettingsProperty) => number | undefined): number =>
    Math.max(0, ...throttles.map((one) => of(one) ?? 0));
  return throttle(
    Math.max(
      100 * factor,
      most(({ rateLimit }) => rateLimit),
    ),
    Math.max(
      200 * factor,
      most(({ burstLimit }) => burstLimit),
    ),
  );
};

/** Guard on all clients that run on the shared key together: nobody's limit, only the service's. */
const sharedGuard = (factor: number) => throttle(1_000 * factor, 2_000 * factor);

/** What one client's counter takes each second: DynamoDB's ceiling for an item. */
const counterCeiling = 1_000;

/**
 * Twice the limit. The exact count admits a full minute's worth at the end of one minute and again at the start of the
 * next, which is what the burst holds: the plan never refuses what the count admits, but for more than a thousand at once.
 */
const methodThrottle = (perMinute: number, factor: number) =>
  throttle((2 * perMinute * factor) / 60, Math.min(2 * perMinute * factor, counterCeiling));

/**
 * Method-level throttling settings that API Gateway takes for a stage in a usage plan (its developer guide, quotas of a
 * REST API; AWS raises it on request).
 */
const mostMethodThrottles = 20;

/** @throws Error saying what to do when there are more than a plan takes. */
const methodThrottles = (routes: readonly Route[], factor: number) => {
  const throttles = routes.flatMap(({ path, method, limitPerMinute }) =>
    limitPerMinute === undefined ? [] : [[`${path}/${method}`, methodThrottle(limitPerMinute, factor)] as const],
  );
  if (throttles.length > mostMethodThrottles) {
    throw new Error(
      `${throttles.length} routes have a limit, and a usage plan of API Gateway takes ${mostMethodThrottles}: ` +
        `name ${throttles.length - mostMethodThrottles} fewer in the setting limits.`,
    );
  }
  return Object.fromEntries(throttles);
};

/**
 * The value of the stack's shared key. It is no secret: the gateway takes keys from the authorizer only, so it throttles and
 * opens nothing. Alphanumeric, one for each account and stack.
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
 * Two plans. Clients with a gateway key of their own are in the first, each with its own throttles; the others share one
 * key in the second, which must not make one client's limit everybody's.
 *
 * The first plan keeps its logical id: with another one it would be another plan, and the keys made at run time in none.
 */
export class UsagePlans extends Construct {
  /** Id of the plan that clients' own keys are put into. */
  readonly clientsPlanId: string;

  constructor(scope: Construct, id: string, { apiId, stage, routes, limitFactor }: UsagePlansProps) {
    super(scope, id);
    const ofMethods = methodThrottles(routes, limitFactor);
    const clients = new CfnUsagePlan(this, "Clients", {
      description: "One gateway key for each client.",
      throttle: clientGuard(limitFactor, Object.values(ofMethods)),
      apiStages: [{ apiId, stage: stage.stageName, throttle: ofMethods }],
    });
    this.clientsPlanId = clients.ref;
    const shared = new CfnUsagePlan(this, "Shared", {
      description: "Clients that have no gateway key of their own.",
      throttle: sharedGuard(limitFactor),
      apiStages: [{ apiId, stage: stage.stageName }],
    });
    const key = new CfnApiKey(this, "SharedKey", { enabled: true, value: sharedUsageKey(this) });
    new CfnUsagePlanKey(this, "SharedPlanKey", { keyId: key.ref, keyType: "API_KEY", usagePlanId: shared.ref });
  }
}
