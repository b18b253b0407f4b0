import type { Resolver } from "../template/intrinsics.ts";
import { GatewayFault } from "./gateway-response.ts";
import { type Rate, type TokenBucket, tokenBucket } from "./token-bucket.ts";

/** Throttling of clients by their API key. */
export interface UsagePlans {
  /** Counts a request. @throws GatewayFault INVALID_API_KEY for an unknown key, THROTTLED when the rate is exceeded. */
  admit(key: string | undefined, path: string, method: string): void;
}

interface Throttle {
  readonly RateLimit?: number | string;
  readonly BurstLimit?: number | string;
}

interface PlanProperties {
  readonly Throttle?: Throttle;
  readonly ApiStages?: readonly { readonly Throttle?: Readonly<Record<string, Throttle>> }[];
}

interface Plan {
  readonly planRate: Rate | undefined;
  /** Rates of single methods by `/path/METHOD`. */
  readonly methods: ReadonlyMap<string, Rate>;
}

const rateOf = (throttle: Throttle | undefined): Rate | undefined =>
  throttle?.RateLimit === undefined
    ? undefined
    : { rate: Number(throttle.RateLimit), burst: Number(throttle.BurstLimit ?? throttle.RateLimit) };

const planOf = ({ Throttle, ApiStages = [] }: PlanProperties): Plan => ({
  planRate: rateOf(Throttle),
  methods: new Map(
    ApiStages.flatMap((stage) => Object.entries(stage.Throttle ?? {})).flatMap(([method, throttle]) => {
      const rate = rateOf(throttle);
      return rate === undefined ? [] : [[method, rate] as const];
    }),
  ),
});

/** Lookup of the usage plan of an API key. */
interface PlanKeys {
  /** Returns the plan's id; undefined for a key without a plan. */
  planOf(value: string): string | undefined;
}

/**
 * Throttles requests by the template's usage plans, for keys of the template and keys created at run time.
 *
 * Not supported: quotas, throttles of the account and the stage. The rate of a method applies in addition to the rate of the plan.
 * A new key is valid at once; API Gateway takes up to a minute. Token buckets are in memory and start full.
 */
export const usagePlans = (resolver: Resolver, keys: PlanKeys): UsagePlans => {
  const plans = new Map(
    resolver
      .resources("AWS::ApiGateway::UsagePlan")
      .map(({ id, properties }) => [String(resolver.resolve({ Ref: id })), planOf(properties)]),
  );
  const buckets = new Map<string, TokenBucket>();
  const takeToken = (name: string, rate: Rate | undefined): boolean => {
    if (rate === undefined) return true;
    const bucket = buckets.get(name) ?? tokenBucket(rate);
    buckets.set(name, bucket);
    return bucket();
  };
  return {
    admit: (key = "", path, method) => {
      const plan = plans.get(keys.planOf(key) ?? "");
      if (plan === undefined) throw new GatewayFault("INVALID_API_KEY");
      const name = `${path}/${method}`;
      const isAdmitted = takeToken(`${key} ${name}`, plan.methods.get(name)) && takeToken(key, plan.planRate);
      if (!isAdmitted) throw new GatewayFault("THROTTLED");
    },
  };
};
