import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { DatasetItemInput, ListDatasetsQuery } from "../../client/interface.ts";
import { useAction } from "../parts/action.tsx";
import { Checkbox } from "../parts/controls.tsx";
import { bindText, focusOnMount, handleSubmit } from "../parts/form-bindings.ts";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";

/** Sources of items, and what closes their form. */
export interface AddFormProps {
  /** Traces, or spans of them, of each of which an item is made. */
  readonly sources: readonly NonNullable<DatasetItemInput["source"]>[];
  readonly onClose: () => void;
}

/** Max items that are added at once, for each of which the service reads a trace. */
const maxSources = 100;

/** Form that adds items to a dataset, called by its name; another name creates one. */
export const AddForm = ({ sources, onClose }: AddFormProps) => {
  const [name, isExpected, datasetId] = [useSignal(""), useSignal(true), useSignal("")];
  const { perform, isBusy, outcome } = useAction();
  const listId = useId();
  const search = (query: ListDatasetsQuery) => client.value.listDatasets({ query }).then(({ items }) => items);
  const datasets = useLoad(() => search({ limit: 200 }), []);
  const add = () =>
    perform(async () => {
      if (sources.length > maxSources) return `Select at most ${maxSources}.`;
      const named = { name: name.value.trim() };
      const { id: dataset_id } = (await search(named))[0] ?? (await client.value.createDataset({ body: named }));
      const answer = isExpected.value ? {} : { expected_output: null };
      const body = { items: sources.map((source) => ({ source, ...answer })) };
      await client.value.createDatasetItems({ path: { dataset_id }, body });
      datasetId.value = dataset_id;
      return `Added to ${named.name}.`;
    });
  return (
    <form class="tools" onSubmit={handleSubmit(add)}>
      <input
        {...bindText(name)}
        ref={focusOnMount}
        list={listId}
        required
        aria-label="Dataset"
        placeholder="Dataset, old or new"
      />
      <datalist id={listId}>
        {datasets.value?.map((dataset) => (
          <option value={dataset.name} />
        ))}
      </datalist>
      <Checkbox isChecked={isExpected.value} onChange={(isChecked) => (isExpected.value = isChecked)}>
        output is the expected answer
      </Checkbox>
      <button type="submit" class="main" disabled={isBusy}>
        Add
      </button>
      <button type="button" class="quiet" onClick={onClose}>
        Close
      </button>
      {outcome}
      {datasetId.value !== "" && <a href={hrefTo("datasets", datasetId.value)}>View dataset</a>}
    </form>
  );
};
