import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { DatasetItem, DatasetItemUpdate } from "../../client/interface.ts";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { bindText, handleSubmit } from "../parts/form-bindings.ts";
import { client } from "../sign-in.ts";

interface ItemEditorProps {
  readonly item: DatasetItem;
  readonly onClose: () => void;
}

/** Dialog with the JSON of an item, to change or delete it. */
export const ItemEditor = ({ item, onClose }: ItemEditorProps) => {
  const { dataset_id, id: item_id, external_id: title, input, expected_output, metadata } = item;
  const json = useSignal(JSON.stringify({ input, expected_output, metadata }, null, 2));
  const { perform, isBusy, errorAlert } = useAction();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  const change = (work: () => Promise<unknown>) => void perform(() => work().then(close));
  const save = async (): Promise<unknown> => {
    const fields: DatasetItemUpdate = JSON.parse(json.value);
    // What is not changed is not sent: numbers that a browser rounds stay as they are.
    const before: Readonly<Record<string, unknown>> = { input, expected_output, metadata };
    const isChanged = ([key, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[key]);
    const body: DatasetItemUpdate = Object.fromEntries(Object.entries(fields).filter(isChanged));
    return await client.value.updateDatasetItem({ path: { dataset_id, item_id }, body });
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={title ?? item_id}>
      <h2 dir="auto">{title ?? item_id}</h2>
      <form id="item" class="field" onSubmit={handleSubmit(() => change(save))}>
        <textarea class="code" aria-label="JSON" rows={14} spellcheck={false} dir="auto" {...bindText(json)} />
      </form>
      {errorAlert}
      <div class="buttons">
        <button type="submit" form="item" class="main writes" disabled={isBusy}>
          Save
        </button>
        <button type="button" class="quiet" onClick={close}>
          Cancel
        </button>
        <span class="writes">
          <ConfirmButton
            label="Delete"
            question="Delete this item?"
            onConfirm={() => change(() => client.value.deleteDatasetItem({ path: { dataset_id, item_id } }))}
          />
        </span>
      </div>
    </dialog>
  );
};
