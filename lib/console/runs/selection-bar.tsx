import { useSignal, type Signal } from "@preact/signals";
import { handleSubmit, bindText } from "../parts/form-bindings.ts";
import { client } from "../sign-in.ts";
import { plural } from "../format.ts";
import { AddToDataset } from "../datasets/add-to-dataset.tsx";
import { LabelButton } from "../labels/label-button.tsx";
import { EvaluateDialog } from "./lazy-evaluate-dialog.ts";
import { ConfirmButton, useAction } from "../parts/action.tsx";

/** Toolbar for the selected traces or sessions: evaluate; also tag and delete traces. */
export const SelectionBar = ({
  kind,
  selection,
  onChange,
}: {
  readonly kind: "traces" | "sessions";
  readonly selection: Signal<ReadonlyMap<string, unknown>>;
  readonly onChange: () => void;
}) => {
  const [tag, isOpen] = [useSignal(""), useSignal(false)];
  const { perform, isBusy, errorAlert } = useAction();
  const clear = (): unknown => (selection.value = new Map());
  const ids = [...selection.value.keys()];
  const countText = plural(ids.length, kind === "traces" ? "trace" : "session");
  const change = (work: (trace_ids: readonly string[]) => Promise<unknown>): Promise<void> =>
    perform(async () => {
      await work([...selection.value.keys()]);
      clear();
      onChange();
    });
  const addTag = () =>
    change((trace_ids) => client.value.tagTraces({ body: { trace_ids, add_tags: [tag.value.trim()] } }));
  return (
    <div class="selection" role="region" aria-label={`Selected ${kind}`}>
      <b>{countText} selected</b>
      <button type="button" class="main" onClick={() => (isOpen.value = true)}>
        Evaluate …
      </button>
      {kind === "traces" && (
        <>
          <LabelButton ids={ids} />
          <AddToDataset sources={ids.map((trace_id) => ({ trace_id }))} />
          <form onSubmit={handleSubmit(addTag)}>
            <input aria-label="Tag" placeholder="Tag" required {...bindText(tag)} />
            <button type="submit" disabled={isBusy}>
              Tag
            </button>
          </form>
          <ConfirmButton
            key={ids.join()}
            label="Delete"
            question={`Delete ${countText} with all scores? This cannot be undone.`}
            onConfirm={() => void change((trace_ids) => client.value.deleteTraces({ body: { trace_ids } }))}
          />
        </>
      )}
      <button type="button" class="quiet" onClick={clear}>
        Clear
      </button>
      {errorAlert}
      {isOpen.value && <EvaluateDialog targets={{ kind, ids }} onClose={() => (isOpen.value = false)} />}
    </div>
  );
};
