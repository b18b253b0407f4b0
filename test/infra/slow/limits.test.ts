import { expect, test } from "vitest";
import { routes } from "../../../lib/contract/routes.ts";
import { synthesize } from "../synthesize.ts";

const environmentsOf = (context: Record<string, unknown>) => {
  const functions = Object.entries(synthesize(context).template.findResources("AWS::Lambda::Function"));
  return (id: string) => functions.find(([name]) => name.includes(id))?.[1].Properties.Environment.Variables;
};

test("an operator's limits reach the functions and the usage plan, also on routes without a default limit", () => {
  const context = { limits: { createTrace: 600, listTraces: 30 } };
  const environment = environmentsOf(context);
  const plans = Object.values(synthesize(context).template.findResources("AWS::ApiGateway::UsagePlan"));
  const throttles = plans.flatMap(({ Properties }) => Properties.ApiStages).find(({ Throttle }) => Throttle)?.Throttle;

  expect(environment("createTraceFunction")).toMatchObject({ LIMIT_PER_MINUTE: "600" });
  expect(environment("listTracesFunction")).toMatchObject({ LIMIT_PER_MINUTE: "30", TABLE_LIMITS: expect.anything() });
  expect(environment("createTraceRunFunction")).not.toHaveProperty("LIMIT_PER_MINUTE");
  expect(throttles).toMatchObject({
    "/traces/POST": { RateLimit: 20 },
    "/traces/GET": { RateLimit: 1 },
    "/evaluations/trace-runs/POST": { RateLimit: 2 },
  });
});

test.each([
  ["createTracez", "The setting limits names createTracez, which is not a route; did you mean createTrace?"],
  ["getHealth", "The setting limits names getHealth, a public route, whose callers are unknown."],
  [
    "exportTracesLangfuse",
    "The setting limits names exportTracesLangfuse, an alias of exportTraces: set the limit of exportTraces.",
  ],
])("a limit of %s is refused in one sentence", (id, sentence) => {
  expect(() => synthesize({ limits: { [id]: 10 } })).toThrow(sentence);
});

test("an operator's ceilings and read budget reach the functions, and no other limit does", () => {
  const context = { organizationLimits: { createTrace: 2000 }, organizationLimitFactor: 5, readUnitsPerMinute: 50 };
  const [environment, usual] = [environmentsOf(context), environmentsOf({})];

  expect(environment("createTraceFunction")).toMatchObject({
    ORGANIZATION_LIMIT: "2000",
    ORGANIZATION_LIMIT_FACTOR: "5",
  });
  expect(environment("listTracesFunction")).toMatchObject({
    ORGANIZATION_LIMIT_FACTOR: "5",
    READ_UNITS_PER_MINUTE: "50",
  });
  for (const name of ["ORGANIZATION_LIMIT", "ORGANIZATION_LIMIT_FACTOR", "READ_UNITS_PER_MINUTE"])
    expect(usual("listTracesFunction")).not.toHaveProperty(name);
});

test.each(["createTracez", "getMonitor", "exchangeCliCode"])("a ceiling of %s is refused in one sentence", (id) => {
  expect(() => synthesize({ organizationLimits: { [id]: 10 } })).toThrow(
    `The setting organizationLimits names ${id}, which is not a route with a limit per client`,
  );
});

test("a limit that is not an integer is refused", () => {
  expect(() => synthesize({ limits: { createTrace: 0.5 } })).toThrow("The setting limits.createTrace must be a whole");
});

const methodThrottlesOf = (context: Record<string, unknown>): readonly { readonly RateLimit: number }[] =>
  Object.values(synthesize(context).template.findResources("AWS::ApiGateway::UsagePlan")).flatMap(({ Properties }) =>
    Object.values<{ readonly RateLimit: number }>(Properties.ApiStages[0].Throttle ?? {}),
  );

test("the maximum of one counter is accepted as a limit, and the plan admits no more per second than the counter allows", () => {
  const maxRate = Math.max(...methodThrottlesOf({ limits: { listTraces: 30_000 } }).map(({ RateLimit }) => RateLimit));

  expect(maxRate).toBe(1_000);
});

test.each([
  [
    { limits: { listTraces: 30_001 } },
    "The limit of listTraces, 30001 requests per minute and client times limitFactor 1, is more than the 30000 that can be " +
      "counted exactly: set limits.listTraces to 30000 at most, or limitFactor to 0.99 at most.",
  ],
  [
    { limits: { listTraces: 2_000 }, limitFactor: 16 },
    "set limits.listTraces to 1875 at most, or limitFactor to 15 at most.",
  ],
  [{ limitFactor: 301 }, "set limits.createTrace to 99 at most, or limitFactor to 300 at most."],
])("a limit over the maximum of one counter is refused, with the setting to use: %o", (context, sentence) => {
  expect(() => synthesize(context)).toThrow(sentence);
});

test("as many routes may have a limit as a usage plan allows, and one more is refused", () => {
  const free = routes.filter(
    ({ access, answeredBy, limitPerMinute }) =>
      access !== "public" && answeredBy === undefined && limitPerMinute === undefined,
  );
  const limited = routes.length - routes.filter(({ limitPerMinute }) => limitPerMinute === undefined).length;
  const adding = (count: number) => ({ limits: Object.fromEntries(free.slice(0, count).map(({ id }) => [id, 60])) });

  expect(methodThrottlesOf(adding(20 - limited))).toHaveLength(20);
  expect(() => synthesize(adding(21 - limited))).toThrow(
    "21 routes have a limit, and a usage plan of API Gateway accepts 20: remove 1 from the setting limits.",
  );
});
