import type { CustomMetric } from "../../client/interface.ts";
import { evidenceKinds, formOf, type MetricForm } from "./form.ts";

type Rubric = NonNullable<CustomMetric["rubric"]>;

/** How a level follows, in a sentence. */
const lineOf = ({ level, answers, least }: Rubric["rule"][number]): string => {
  const said = Object.entries(answers).map(([name, answer]) => `${name} ${answer}`);
  if (least === said.length) return `${level}: ${said.join(" and ")}`;
  return `${level}: at least ${least} of ${said.join(", ")}`;
};

const RubricOf = ({ rubric }: { readonly rubric: Rubric }) => (
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
            <li dir="auto">{lineOf(line)}</li>
          ))}
          <li dir="auto">otherwise {rubric.otherwise}</li>
        </ol>
      </>
    )}
  </>
);

/** What is stated of one, as far as it is known before the metric is made. */
const statedIn = ({ scale, statements }: MetricForm): Rubric => ({
  levels: scale.map(({ label, meaning, value }) => ({ name: label, meaning, value: Number(value) })),
  statements,
  rule: [],
  otherwise: "",
});

/** What a metric says, to be read. */
export const DefinitionOf = ({
  definition,
  rubric,
}: {
  readonly definition: Readonly<Record<string, unknown>>;
  readonly rubric: Rubric | null;
}) => {
  const form = formOf(definition, "");
  const shown = form.evidence.map((kind) => Object.entries(evidenceKinds).find(([name]) => name === kind)?.[1] ?? kind);
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
      {form.kind === "judge" && <RubricOf rubric={rubric ?? statedIn(form)} />}
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
        <span>success from {form.threshold}</span>
        {form.kind === "judge" && <span>the judge is shown {shown.join(", ")}</span>}
        {form.kind === "judge" && <span dir="auto">judge: {form.model === "" ? "the run's" : form.model}</span>}
      </p>
    </div>
  );
};
