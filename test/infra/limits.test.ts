import { expect, test } from "vitest";
import { synthesize } from "./synthesize.ts";

const environmentsOf = (context: Record<string, unknown>) => {
  const functions = Object.entries(synthesize(context).template.findResources("AWS::Lambda::Function"));
  return (id: string) => functions.find(([name]) => name.includes(id))?.[1].Properties.Environment.Variables;
};

test("an operator's limits reach the functions and the usage plan, also on routes that had none", () => {
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
  ["createTracez", "The setting limits names createTracez, which is no route."],
  ["getHealth", "The setting limits names getHealth, whose callers are not known."],
])("a limit of %s is refused in one sentence", (id, sentence) => {
  expect(() => synthesize({ limits: { [id]: 10 } })).toThrow(sentence);
});

test("a limit that is no whole number is refused", () => {
  expect(() => synthesize({ limits: { createTrace: 0.5 } })).toThrow("The setting limits.createTrace must be a whole");
});
