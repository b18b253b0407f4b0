import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { handleSubmit, bindText } from "../parts/form-bindings.ts";
import { NotFoundError } from "../../client/errors.ts";
import { client } from "../sign-in.ts";
import { plural } from "../format.ts";
import { AddToDataset } from "../datasets/add-to-dataset.tsx";
import { LabelButton } from "../labels/label-button.tsx";
import { EvaluateDialog } from "./lazy-evaluate-dialog.ts";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { bulkReceipt, inParts, maxPart, receiptText } from "./bulk.ts";

/** Toolbar for the selected traces or sessions, to evaluate, label, tag and delete them, and what the last change of many has done. */
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
  useEffect(() => () => void (bulkReceipt.value = null), []);
  const noun = kind === "traces" ? "trace" : "session";
  const clear = (): unknown => (selection.value = new Map());
  const ids = [...selection.value.keys()];
  const countText = plural(ids.length, noun);
  const change = (
    verb: string,
    partSize: number,
    work: (part: readonly string[]) => Promise<number>,
  ): Promise<void> => {
    const goOn = inParts([...selection.value.keys()], verb, partSize, work);
    return perform(async () => {
      await goOn();
      clear();
      onChange();
    });
  };
  const addTag = () =>
    change("tagged", maxPart, async (trace_ids) => {
      const { updated } = await client.value.tagTraces({ body: { trace_ids, add_tags: [tag.value.trim()] } });
      return updated;
    });
  const removeSession = async ([session_id = ""]: readonly string[]): Promise<number> => {
    try {
      await client.value.deleteSession({ path: { session_id }, query: {} });
      return 1;
    } catch (error) {
      if (error instanceof NotFoundError) return 0;
      throw error;
    }
  };
  const remove = () =>
    kind === "sessions"
      ? change("deleted", 1, removeSession)
      : change(
          "deleted",
          maxPart,
          async (trace_ids) => (await client.value.deleteTraces({ body: { trace_ids } })).deleted,
        );
  const receipt = bulkReceipt.value !== null && <span role="status">{receiptText(bulkReceipt.value, noun)}</span>;
  if (ids.length === 0)
    return bulkReceipt.value === null ? null : (
      <p class="selection">
        {receipt}
        <button type="button" class="quiet" onClick={() => (bulkReceipt.value = null)}>
          Hide
        </button>
      </p>
    );
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
        </>
      )}
      <ConfirmButton
        key={ids.length}
        label="Delete"
        question={`Delete ${countText} with all ${kind === "traces" ? "scores" : "traces and scores"}? This cannot be undone.`}
        onConfirm={() => void remove()}
      />
      <button type="button" class="quiet" onClick={clear}>
        Clear
      </button>
      {isBusy && receipt}
      {errorAlert}
      {isOpen.value && <EvaluateDialog targets={{ kind, ids }} onClose={() => (isOpen.value = false)} />}
    </div>
  );
};
