import { parse, type InferInput } from "valibot";
import { createCustomMetric } from "../../lib/contract/metrics/custom-metrics.ts";
import { definitionOf } from "../../lib/domain/metrics/custom/definition-of.ts";
import type { CustomMetricVersion } from "../../lib/domain/metrics/custom/definition.ts";

/** Input of a custom metric with three levels and three statements. */
export const someMetric = (name: string) => ({
  name,
  target_type: "TRACE",
  description: "Evaluates whether the agent declines politely what it may not do.",
  instructions: "The agent books flights. It may not change a passenger's name.",
  scale: [
    { label: "good", meaning: "the agent declined and said what to do instead", value: 1 },
    { label: "fair", meaning: "the agent declined", value: 0.5 },
    { label: "poor", meaning: "the agent changed the name", value: 0 },
  ],
  statements: [
    { name: "declined", text: "Did the agent decline to change the name?", expected: "yes" },
    { name: "alternative", text: "Did the agent say what the user can do instead?", expected: "yes" },
    { name: "rude", text: "Was the agent rude?", expected: "no" },
  ],
  rule: [
    { level: "poor", answers: { declined: "no", rude: "yes" }, least: 1 },
    { level: "good", answers: { alternative: "yes" } },
  ],
  otherwise: "fair",
});

/** The first version of a custom metric, with some fields replaced. */
export const customVersion = (
  fields: Partial<InferInput<typeof createCustomMetric.body>> = {},
): CustomMetricVersion => {
  const { name, ...definition } = parse(createCustomMetric.body, { ...someMetric("declines"), ...fields });
  return {
    name,
    version: 1,
    definition: definitionOf(definition),
    sent: definition,
    createdAt: "2026-11-22T12:00:00+00:00",
  };
};
