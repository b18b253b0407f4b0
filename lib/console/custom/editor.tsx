import { useSignal, type Signal } from "@preact/signals";
import { submits } from "../parts/fields.ts";
import type { CustomMetric } from "../../client/interface.ts";
import { Trouble } from "../parts/trouble.tsx";
import { client, notice } from "../sign-in.ts";
import { plural } from "../words.ts";
import { partsOf, statementNames, type MetricForm, type Problem } from "./form.ts";
import { JudgeFields } from "./judge-fields.tsx";
import { Notes, notesOf } from "./notes.tsx";
import { Preview } from "./preview.tsx";
import { TextField } from "./text-field.tsx";
import { problemsOf, provisional, useTried, type Tried } from "./tried.ts";

const kinds = {
  judge: "a judge answers statements",
  check: "conditions on a trace, free of cost",
  fold: "scores of a session's traces, free of cost",
} as const;

const isKind = (text: string): text is keyof typeof kinds => Object.hasOwn(kinds, text);

/** What is in a field, by its path. */
const writtenAt = (form: MetricForm, path: string): unknown => {
  let value: unknown = form;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === part)?.[1];
  }
  return value;
};

/** What is not filled in yet is no mistake before somebody says that it is ready. */
const isBlank = (form: MetricForm, { field }: Problem): boolean => {
  const value = writtenAt(form, field);
  return typeof value === "string" && value.trim() === "";
};

/** A place of the form in words, as its parts are counted by people. */
const placeIn = (field: string): string =>
  field.replace(/\.(\d+)\b/u, (_, at: string) => ` ${Number(at) + 1}:`).replaceAll(".", " ");

const Said = ({
  tried: { isAsking, error, remarks },
  wrong,
  blank,
}: {
  readonly tried: Tried;
  readonly wrong: number;
  /** What is still to be filled in. */
  readonly blank: readonly string[];
}) => {
  const words = (): string => {
    if (isAsking) return "Looking …";
    if (wrong > 0) return `✕ ${plural(wrong, "field")} cannot be taken as it is.`;
    if (blank.length > 0) return `Not filled in yet: ${blank.map(placeIn).join(", ")}.`;
    if (error !== null) return "";
    return remarks.length === 0 ? "✓ Nothing to remark." : `! ${plural(remarks.length, "remark")}.`;
  };
  return (
    <p role="status" class="faint">
      {words()}
    </p>
  );
};

/** The editor of a metric: what is written is looked at while it is written. */
export const Editor = ({
  draft,
  base,
  done,
  leave,
}: {
  readonly draft: Signal<MetricForm>;
  /** What is changed; null: a new one is made. */
  readonly base: CustomMetric | null;
  readonly done: (made: CustomMetric) => void;
  readonly leave: () => void;
}) => {
  const form = draft.value;
  const tried = useTried(form, base === null, base?.rubric?.statements.map(({ name }) => name) ?? []);
  const [refused, error, isBusy] = [
    useSignal<{ readonly problems: readonly Problem[]; readonly form: MetricForm } | null>(null),
    useSignal<unknown>(null),
    useSignal(false),
  ];
  const change = (part: Partial<MetricForm>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const blank = tried.problems.filter((problem) => isBlank(form, problem));
  // What was refused stands until something is written.
  const isRefused = refused.value?.form === form;
  const problems = isRefused
    ? (refused.value?.problems ?? [])
    : tried.problems.filter((problem) => !blank.includes(problem));
  const notes = notesOf(form, problems, tried.remarks);
  const save = async (): Promise<void> => {
    [error.value, refused.value, isBusy.value] = [null, null, true];
    const { parts, problems: unread } = partsOf(form, tried.names);
    const { name, target_type, kind, description } = form;
    try {
      if (unread.length > 0) refused.value = { problems: unread, form };
      else if (base === null)
        done(await client.value.createOwnMetric({ body: { name, target_type, kind, ...parts, description } }));
      else done(await client.value.updateOwnMetric({ path: { metric_name: base.name }, body: parts }));
    } catch (thrown) {
      notice(thrown);
      const found = problemsOf(thrown);
      if (found === null) error.value = thrown;
      else refused.value = { problems: found, form };
    }
    isBusy.value = false;
  };
  return (
    <form class="editor" aria-label={base === null ? "New metric" : `Change ${base.name}`} onSubmit={submits(save)}>
      <Notes of={notes} path="" />
      <div class="part-row">
        <TextField
          label="Name"
          path="name"
          value={form.name}
          change={(name) => change({ name })}
          notes={notes}
          hint="polite_refusal"
          isFixed={base !== null}
        />
        <div class="field">
          <label>
            Of
            <select
              value={form.target_type}
              disabled={base !== null}
              onChange={({ currentTarget: { value } }) =>
                change({ target_type: value === "SESSION" ? "SESSION" : "TRACE" })
              }
            >
              <option value="TRACE">traces</option>
              <option value="SESSION">sessions</option>
            </select>
          </label>
          <Notes of={notes} path="target_type" />
        </div>
        <div class="field">
          <label>
            Kind
            <select
              value={form.kind}
              disabled={base !== null}
              onChange={({ currentTarget: { value } }) => {
                if (isKind(value)) change({ kind: value });
              }}
            >
              {Object.entries(kinds).map(([kind, title]) => (
                <option value={kind}>
                  {kind}: {title}
                </option>
              ))}
            </select>
          </label>
          <Notes of={notes} path="kind" />
        </div>
        <TextField
          label="Success from"
          path="threshold"
          value={form.threshold}
          change={(threshold) => change({ threshold })}
          notes={notes}
          short
        />
      </div>
      <TextField
        label="Description: what is evaluated, in one sentence"
        path="description"
        value={form.description}
        change={(description) => change({ description })}
        notes={notes}
      />
      {form.kind === "judge" ? (
        <JudgeFields
          form={form}
          change={change}
          notes={notes}
          names={form.statements.length > 0 ? statementNames(form) : tried.names}
        />
      ) : (
        <TextField
          label={form.kind === "check" ? "Condition, as JSON" : "Fold, as JSON"}
          path={form.kind}
          value={form[form.kind]}
          change={(text) => change({ [form.kind]: text })}
          notes={notes}
          lines={8}
          isCode
          hint={
            form.kind === "check"
              ? '{"all": [{"type": "contains", "text": "order"}]}'
              : '{"over": "task_completion", "by": "min"}'
          }
        />
      )}
      {form.target_type === "TRACE" && (
        <Preview
          form={provisional(form)}
          names={tried.names}
          isReady={!tried.isAsking && tried.error === null && tried.problems.length === 0}
        />
      )}
      <div class="editor-end">
        <Said
          tried={tried}
          wrong={tried.problems.length - blank.length}
          blank={[
            ...(["name", "description"] as const).filter((field) => form[field].trim() === ""),
            ...blank.map(({ field }) => field),
          ]}
        />
        <Trouble {...tried} />
        <Trouble error={error.value} again={() => void save()} />
        {isRefused && (
          <p role="alert" class="bad">
            ✕ Not taken: {problems.map(({ field }) => placeIn(field)).join(", ")}. It stands at its place what is wrong.
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="main" disabled={isBusy}>
            {base === null ? "Make the metric" : `Make version ${(base.versions.at(-1)?.version ?? base.version) + 1}`}
          </button>
          <button type="button" class="quiet" onClick={leave}>
            {base === null ? "Discard" : "Discard the change"}
          </button>
        </div>
      </div>
    </form>
  );
};
