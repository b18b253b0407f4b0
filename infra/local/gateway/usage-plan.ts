import type { Resolver } from "../template/intrinsics.ts";
import { GatewayFault } from "./gateway-response.ts";
import { type Rate, type TokenBucket, tokenBucket } from "./token-bucket.ts";

/** Throttles clients by their key. */
export interface UsagePlans {
  /** Counts a call. @throws GatewayFault INVALID_API_KEY for an unknown key, THROTTLED when the client is too fast. */
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
  readonly whole: Rate | undefined;
  /** By `/path/METHOD`. */
  readonly methods: ReadonlyMap<string, Rate>;
}

const rateOf = (throttle: Throttle | undefined): Rate | undefined =>
  throttle?.RateLimit === undefined
    ? undefined
    : { rate: Number(throttle.RateLimit), burst: Number(throttle.BurstLimit ?? throttle.RateLimit) };

const planOf = ({ Throttle, ApiStages = [] }: PlanProperties): Plan => ({
  whole: rateOf(Throttle),
  methods: new Map(
    ApiStages.flatMap((stage) => Object.entries(stage.Throttle ?? {})).flatMap(([method, throttle]) => {
      const rate = rateOf(throttle);
      return rate === undefined ? [] : [[method, rate] as const];
    }),
  ),
});

/** Tells which plan a key is in. */
interface PlanKeys {
  /** The plan's id; undefined for a key that no plan knows. */
  planOf(value: string): string | undefined;
}

/**
 * Throttles by the template's usage plans, for keys of the template and keys made at run time.
 *
 * Does not do: quotas, the account's and the stage's own throttles. A method's own rate counts beside the plan's. A new key
 * is known at once, where API Gateway takes up to a minute. Buckets are kept in memory and begin full.
 */
export const usagePlans = (resolver: Resolver, keys: PlanKeys): UsagePlans => {
  const plans = new Map(
    resolver
      .resources("AWS::ApiGateway::UsagePlan")
      .map(({ id, properties }) => [String(resolver.resolve({ Ref: id })), planOf(properties)]),
  );
  const buckets = new Map<string, TokenBucket>();
  const take = (name: string, rate: Rate | undefined): boolean => {
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
      const admitted = take(`${key} ${name}`, plan.methods.get(name)) && take(key, plan.whole);
      if (!admitted) throw new GatewayFault("THROTTLED");
    },
  };
};
