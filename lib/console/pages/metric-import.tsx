import { useSignal } from "@preact/signals";
import { submits } from "../parts/fields.ts";
import { useEffect } from "preact/hooks";
import { useLoad } from "../load.ts";
import { DefinitionOf } from "../custom/definition.tsx";
import { useDraft } from "../custom/draft.ts";
import { formOf, isRecord } from "../custom/form.ts";
import { OpenInEditor } from "../custom/open-in-editor.tsx";
import { hrefOfMetric } from "../custom/places.ts";
import { Remarks } from "../custom/remarks.tsx";
import { pause } from "../custom/tried.ts";
import { useAct } from "../parts/act.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { goTo, hrefTo } from "../place.ts";
import { client } from "../sign-in.ts";

interface Pasted {
  readonly json: string;
  readonly name: string;
  readonly target: "TRACE" | "SESSION";
}

const nothing: Pasted = { json: "", name: "", target: "TRACE" };

const isPasted = (value: unknown): value is Pasted =>
  isRecord(value) && ["json", "name", "target"].every((part) => typeof value[part] === "string");

const example = `{
  "name": "Helpfulness",
  "prompt": "Is the answer helpful?\\n\\n{{input}}\\n\\n{{output}}",
  "choice_scores": {"Yes": 1, "Partly": 0.5, "No": 0}
}`;

const metricIn = (json: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
};

const bodyOf = ({ json, name, target }: Pasted) => {
  const metric = metricIn(json);
  return metric === null ? null : { metric, target_type: target, ...(name.trim() === "" ? {} : { name: name.trim() }) };
};

/** What becomes of another tool's metric here? */
export const MetricImportPage = () => {
  const { value: pasted, drop } = useDraft("import", nothing, isPasted);
  const settled = useSignal(pasted.peek());
  const { act, isBusy, told } = useAct();
  const change = (part: Partial<Pasted>): void => {
    pasted.value = { ...pasted.value, ...part };
  };
  const now = pasted.value;
  useEffect(() => {
    const timer = setTimeout(() => (settled.value = now), pause);
    return () => clearTimeout(timer);
  }, [now]);
  const body = bodyOf(settled.value);
  const { value, error, isLoading, again } = useLoad(
    async (signal) =>
      body === null ? null : await client.value.importOwnMetric({ query: { dry_run: true }, body }, { signal }),
    [JSON.stringify(body)],
  );
  const make = (): Promise<void> =>
    act(async () => {
      const ready = bodyOf(now);
      if (ready === null) return "This is no JSON object.";
      const { name } = await client.value.importOwnMetric({ body: ready });
      drop();
      goTo(hrefOfMetric(name));
      return null;
    });
  return (
    <main>
      <div class="title">
        <h1>Import a metric</h1>
        <a href={hrefTo("own-metrics")}>All own metrics</a>
      </div>
      <form class="editor" onSubmit={submits(make)}>
        <div class="field">
          <label>
            A prompt with placeholders and choices with scores, as another tool exports it, as JSON
            <textarea
              class="code"
              rows={12}
              required
              spellcheck={false}
              placeholder={example}
              value={now.json}
              aria-invalid={now.json.trim() !== "" && metricIn(now.json) === null}
              aria-describedby="import-told"
              onInput={({ currentTarget }) => change({ json: currentTarget.value })}
            />
          </label>
          <p
            id="import-told"
            role="status"
            class={now.json.trim() !== "" && metricIn(now.json) === null ? "bad" : "faint"}
          >
            {now.json.trim() !== "" && metricIn(now.json) === null ? "✕ This is no JSON object." : ""}
            {body !== null && isLoading && "Looking …"}
          </p>
        </div>
        <div class="part-row">
          <div class="field">
            <label>
              Name here
              <input
                placeholder="as in the other tool"
                value={now.name}
                onInput={({ currentTarget }) => change({ name: currentTarget.value })}
              />
            </label>
          </div>
          <div class="field">
            <label>
              Of
              <select
                value={now.target}
                onChange={({ currentTarget }) =>
                  change({ target: currentTarget.value === "SESSION" ? "SESSION" : "TRACE" })
                }
              >
                <option value="TRACE">traces</option>
                <option value="SESSION">sessions</option>
              </select>
            </label>
          </div>
        </div>
        <Trouble error={error} again={again} />
        {value !== null && (
          <section class="part" aria-label="What becomes of it">
            <h2>{value.name}</h2>
            <p dir="auto">{value.description}</p>
            <ul class="notes" aria-label="Notes">
              {value.notes.map((note) => (
                <li dir="auto">{note}</li>
              ))}
            </ul>
            <Remarks of={value.remarks} />
            <DefinitionOf definition={value.definition} rubric={value.rubric} />
          </section>
        )}
        <div class="buttons">
          <button type="submit" class="main" disabled={isBusy || value === null}>
            Make the metric
          </button>
          {value !== null && <OpenInEditor form={() => formOf(value.definition, value.name)} />}
        </div>
        {told}
      </form>
    </main>
  );
};
