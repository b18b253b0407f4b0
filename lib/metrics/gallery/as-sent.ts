import type { SentMetric } from "../../domain/metrics/custom/definition.ts";
import type { YesNo } from "../../domain/metrics/rubric.ts";
import type { GalleryMetric } from "./gallery-metric.ts";

const given = (answers: GalleryMetric["rule"][number]["answers"]): Readonly<Record<string, YesNo>> =>
  Object.fromEntries(
    Object.entries(answers).flatMap(([name, answer]) => (answer === undefined ? [] : [[name, answer]])),
  );

/** A metric of the gallery as one of a project's own is sent. */
export const gallerySent = ({ name: _name, statements, rule, ...metric }: GalleryMetric): SentMetric => ({
  ...metric,
  kind: "judge",
  statements: statements.map((statement) => ({ ...statement, expected: "yes" })),
  rule: rule.map(({ answers, ...line }) => ({ ...line, answers: given(answers) })),
});
