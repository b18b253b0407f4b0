import type { CustomMetricInput } from "../../domain/metrics/custom/definition.ts";
import type { YesNo } from "../../domain/metrics/rubric.ts";
import type { GalleryMetric } from "./gallery-metric.ts";

const definedAnswers = (answers: GalleryMetric["rule"][number]["answers"]): Readonly<Record<string, YesNo>> =>
  Object.fromEntries(
    Object.entries(answers).flatMap(([name, answer]) => (answer === undefined ? [] : [[name, answer]])),
  );

/** Converts a metric template to the request body that creates a custom metric. */
export const galleryRequest = ({ name: _name, statements, rule, ...metric }: GalleryMetric): CustomMetricInput => ({
  ...metric,
  kind: "judge",
  statements: statements.map((statement) => ({ ...statement, expected: "yes" })),
  rule: rule.map(({ answers, ...line }) => ({ ...line, answers: definedAnswers(answers) })),
});
