import type { CustomMetricImport } from "../../client/interface.ts";
import { isPlainObject } from "../parts/is-object.ts";
import { useSignal } from "@preact/signals";
import { handleSubmit } from "../parts/form-bindings.ts";
import { useEffect } from "preact/hooks";
import { useLoad } from "../use-load.ts";
import { MetricDefinition, ScoreMeanings } from "../custom/metric-definition.tsx";
import { useDraft } from "../draft.ts";
import { metricFormOf, targetTypeTitles } from "../custom/form.ts";
import { OpenInEditor } from "../custom/open-in-editor.tsx";
import { customMetricHref } from "../custom/metric-links.ts";
import { LintWarnings } from "../custom/lint-warnings.tsx";
import { textFields } from "../parts/text-field.tsx";
import { typingPause } from "../custom/use-dry-run.ts";
import { useAction } from "../parts/action.tsx";
import { Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { hrefTo, useNavigate } from "../route.ts";
import { client } from "../sign-in.ts";

/** Form state of the import. */
interface ImportInput {
  readonly json: string;
  readonly name: string;
  readonly target: "TRACE" | "SESSION";
}

const emptyInput: ImportInput = { json: "", name: "", target: "TRACE" };

const isImportInput = (value: unknown): value is ImportInput =>
  isPlainObject(value) && ["json", "name", "target"].every((part) => typeof value[part] === "string");

const example = `{
  "name": "Helpfulness",
  "prompt": "Is the answer helpful?\\n\\n{{input}}\\n\\n{{output}}",
  "choice_scores": {"Yes": 1, "Partly": 0.5, "No": 0}
}`;

const parseMetric = (json: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(json);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
};

const bodyOf = ({ json, name, target }: ImportInput): CustomMetricImport | null => {
  const metric = parseMetric(json);
  return metric === null ? null : { metric, target_type: target, ...(name.trim() === "" ? {} : { name: name.trim() }) };
};

/** Page that imports a metric of another tool, with a preview of the result. */
export const MetricImportPage = () => {
  const { value: input, discard } = useDraft("import", emptyInput, isImportInput);
  const checkedInput = useSignal(input.peek());
  const { perform, isBusy, outcome } = useAction();
  const navigate = useNavigate();
  const change = (part: Partial<ImportInput>): void => {
    input.value = { ...input.value, ...part };
  };
  const current = input.value;
  useEffect(() => {
    const timer = setTimeout(() => (checkedInput.value = current), typingPause);
    return () => clearTimeout(timer);
  }, [current]);
  const field = textFields(current, (name, text) => change({ [name]: text }));
  const isInvalid = current.json.trim() !== "" && parseMetric(current.json) === null;
  const body = bodyOf(checkedInput.value);
  const { value, error, isLoading, reload } = useLoad(
    async (signal) =>
      body === null ? null : await client.value.importOwnMetric({ query: { dry_run: true }, body }, { signal }),
    [JSON.stringify(body)],
  );
  const create = (): Promise<void> =>
    perform(async () => {
      const currentBody = bodyOf(current);
      if (currentBody === null) return "Not a JSON object.";
      const { name } = await client.value.importOwnMetric({ body: currentBody });
      discard();
      navigate(customMetricHref(name));
      return null;
    });
  return (
    <main>
      <div class="title">
        <h1>Import a metric</h1>
        <a href={hrefTo("own-metrics")}>All custom metrics</a>
      </div>
      <form class="editor" onSubmit={handleSubmit(create)}>
        <div class="field">
          <label>
            A prompt, criteria, an assertion or a grader, as JSON exported from another tool
            <textarea
              class="code"
              rows={12}
              required
              spellcheck={false}
              placeholder={example}
              value={current.json}
              aria-invalid={isInvalid}
              aria-describedby="import-told"
              onInput={({ currentTarget }) => change({ json: currentTarget.value })}
            />
          </label>
          <p id="import-told" role="status" class={isInvalid ? "bad" : "faint"}>
            {isInvalid ? "✕ Not a JSON object." : ""}
            {body !== null && isLoading && "Checking …"}
          </p>
        </div>
        <div class="part-row">
          {field("name", "New name", { hint: "same as there" })}
          <div class="field">
            <label>
              Target
              <Select value={current.target} options={targetTypeTitles} onSelect={(target) => change({ target })} />
            </label>
          </div>
        </div>
        <ErrorAlert error={error} reload={reload} />
        {value !== null && (
          <section class="part" aria-label="Imported metric">
            <h2>{value.name}</h2>
            <p dir="auto">{value.description}</p>
            <ul class="notes" aria-label="Notes">
              {value.notes.map((note) => (
                <li dir="auto">{note}</li>
              ))}
            </ul>
            <ScoreMeanings text={value.reads_as} />
            <LintWarnings warnings={value.remarks} />
            <MetricDefinition definition={value.definition} rubric={value.rubric} />
          </section>
        )}
        <div class="buttons">
          <button type="submit" class="main" disabled={isBusy || value === null}>
            Create metric
          </button>
          {value !== null && <OpenInEditor form={() => metricFormOf(value.definition, value.name)} />}
        </div>
        {outcome}
      </form>
    </main>
  );
};
