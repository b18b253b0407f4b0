import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { plural } from "../format.ts";
import { useAction } from "../parts/action.tsx";
import { Checkbox, Checkboxes, Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { handleSubmit } from "../parts/form-bindings.ts";
import { hrefTo, route, useNavigate } from "../route.ts";
import { client } from "../sign-in.ts";
import { FilterChips } from "../traces/filter-chips.tsx";
import { parseRunFilters } from "../traces/trace-filters.ts";
import { useLoad } from "../use-load.ts";
import { draws } from "./draws.ts";

/** Traces of a label set, and what closes its dialog. */
export interface SetDialogProps {
  /** Ids of the selected traces; absent for all that match the filters of the page and the URL. */
  readonly ids?: readonly string[];
  /** Filters of the page, which win over the URL's. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

interface Draft {
  readonly name: string;
  readonly size: number;
  readonly labels_per_item: number;
  readonly draw: keyof typeof draws;
  readonly blind: boolean;
}

/** Dialog that makes a label set of traces. */
export const SetDialog = ({ ids, fixed, onClose }: SetDialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const body = useSignal<Draft>({ name: "", size: 100, labels_per_item: 1, draw: "random", blind: true });
  const names = useSignal<readonly string[]>(["task_completion"]);
  const metrics = useLoad((signal) => client.value.listTraceMetrics(undefined, { signal }), []);
  const { perform, isBusy, errorAlert } = useAction();
  const navigate = useNavigate();
  const change = (part: Partial<Draft>) => (body.value = { ...body.value, ...part });
  const make = () =>
    perform(async () => {
      const filters = parseRunFilters({ ...route.value.query, ...fixed });
      const traces = ids === undefined ? { filters } : { trace_ids: ids };
      const input = { ...body.value, ...traces, metrics: names.value.map((name) => ({ name })) };
      navigate(hrefTo("label-sets", (await client.value.createLabelSet({ body: input })).id));
    });
  const number = (name: "size" | "labels_per_item", title: string) => (
    <label>
      {title}
      <input
        type="number"
        value={body.value[name]}
        onInput={({ currentTarget: { valueAsNumber } }) => change({ [name]: valueAsNumber })}
      />
    </label>
  );
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="set-title">
      <h2 id="set-title">{ids === undefined ? "Label matching traces" : `Label ${plural(ids.length, "trace")}`}</h2>
      {ids === undefined && (
        <div class="filters">
          <FilterChips fixed={fixed} />
        </div>
      )}
      <form id="set" class="transcript" onSubmit={handleSubmit(make)}>
        <input
          required
          aria-label="Name"
          placeholder="Name of the set"
          value={body.value.name}
          onInput={({ currentTarget: { value } }) => change({ name: value })}
        />
        <fieldset>
          <legend>Metrics</legend>
          <Checkboxes
            titles={(metrics.value ?? []).map(({ name, description }) => ({
              key: name,
              label: name.replaceAll("_", " "),
              title: description,
            }))}
            selection={names.value}
            onChange={(selection) => (names.value = selection)}
          />
        </fieldset>
        <div class="fields">
          <label>
            Draw
            <Select value={body.value.draw} options={draws} onSelect={(draw) => change({ draw })} />
          </label>
          {number("size", "Traces, 20 to 2,000")}
          {number("labels_per_item", "People for each trace")}
        </div>
        <Checkbox isChecked={body.value.blind} onChange={(blind) => change({ blind })}>
          blind: who labels sees no scores
        </Checkbox>
      </form>
      {(body.value.draw !== "random" || ids !== undefined) && (
        <p class="faint">Only labels of traces drawn at random from a list correct averages.</p>
      )}
      <ErrorAlert {...metrics} />
      {errorAlert}
      <div class="buttons">
        <button type="submit" form="set" class="main" disabled={isBusy}>
          Make label set
        </button>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </div>
    </dialog>
  );
};
