import type { CustomMetric } from "../../client/interface.ts";
import { evidenceLabels, metricFormOf, type MetricForm } from "./form.ts";

type Rubric = NonNullable<CustomMetric["rubric"]>;

/** Returns a line of a rubric's rule as text: `good: at least 2 of a yes, b yes`. */
const ruleText = ({ level, answers, least: minMatches }: Rubric["rule"][number]): string => {
  const conditions = Object.entries(answers).map(([name, answer]) => `${name} ${answer}`);
  if (minMatches === conditions.length) return `${level}: ${conditions.join(" and ")}`;
  return `${level}: at least ${minMatches} of ${conditions.join(", ")}`;
};

const RubricText = ({ rubric }: { readonly rubric: Rubric }) => (
  <>
    <h3>Statements</h3>
    <ol class="said-list">
      {rubric.statements.map(({ name, text, yes, no }) => (
        <li>
          <code>{name}</code> <span dir="auto">{text}</span>{" "}
          <span class="faint" dir="auto">
            yes: {yes}; no: {no}
          </span>
        </li>
      ))}
    </ol>
    <h3>Levels</h3>
    <ul class="said-list">
      {rubric.levels.map(({ name, meaning, value }) => (
        <li dir="auto">
          <b>{name}</b> {value}: {meaning}
        </li>
      ))}
    </ul>
    {rubric.rule.length > 0 && (
      <>
        <h3>Rule</h3>
        <ol class="said-list">
          {rubric.rule.map((line) => (
            <li dir="auto">{ruleText(line)}</li>
          ))}
          <li dir="auto">otherwise {rubric.otherwise}</li>
        </ol>
      </>
    )}
  </>
);

/** Meaning of each score of a metric, the highest first. @param text `reads_as` of the metric. */
export const ScoreMeanings = ({ text }: { readonly text: string }) => (
  <p class="score-meanings" dir="auto">
    <b>Score:</b> {text}
  </p>
);

/** Returns the rubric of an unsaved metric, without the rule, which the service derives. */
const rubricOf = ({ scale, statements }: MetricForm): Rubric => ({
  levels: scale.map(({ label, meaning, value }) => ({ name: label, meaning, value: Number(value) })),
  statements,
  rule: [],
  otherwise: "",
});

/** Read-only view of a metric's definition. @param rubric rubric of the saved metric; null if it is not saved. */
export const MetricDefinition = ({
  definition,
  rubric,
}: {
  readonly definition: Readonly<Record<string, unknown>>;
  readonly rubric: Rubric | null;
}) => {
  const form = metricFormOf(definition, "");
  const evidenceTitles = form.evidence.map(
    (kind) => Object.entries(evidenceLabels).find(([name]) => name === kind)?.[1] ?? kind,
  );
  return (
    <div class="definition">
      {form.kind !== "judge" && <pre class="data">{form[form.kind]}</pre>}
      {form.instructions !== "" && (
        <>
          <h3>Instructions</h3>
          <pre class="data" dir="auto">
            {form.instructions}
          </pre>
        </>
      )}
      {form.kind === "judge" && <RubricText rubric={rubric ?? rubricOf(form)} />}
      {form.examples.length > 0 && (
        <>
          <h3>Examples</h3>
          <ul class="said-list">
            {form.examples.map(({ record, answers, reason }) => (
              <li dir="auto">
                {record}{" "}
                <span class="faint">
                  {Object.entries(answers)
                    .map(([name, answer]) => `${name}: ${answer.replaceAll("_", " ")}`)
                    .join("; ")}
                  {reason !== "" && ` (${reason})`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="facts">
        <span>success threshold {form.threshold}</span>
        {form.kind === "judge" && <span>judge input: {evidenceTitles.join(", ")}</span>}
        {form.kind === "judge" && <span dir="auto">judge: {form.model === "" ? "as in the run" : form.model}</span>}
      </p>
    </div>
  );
};
