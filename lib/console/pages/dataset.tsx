import { useSignal } from "@preact/signals";
import type { DatasetItem } from "../../client/interface.ts";
import { ItemEditor } from "../datasets/item-editor.tsx";
import { exportItems, importItems } from "../datasets/requests.ts";
import { plural } from "../format.ts";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { curlCommand, EmptyNote } from "../parts/curl.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { PagedRows } from "../parts/paged-rows.tsx";
import { hrefTo, useDeletion } from "../route.ts";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { previewText } from "../traces/input-preview.ts";
import { useLoad } from "../use-load.ts";
import { usePagedList } from "../use-paged-list.ts";

/** First characters of a value: of a message or a question its text. */
const shortText = (value: unknown): string =>
  previewText(typeof value === "string" ? value : JSON.stringify(value)).slice(0, 200);

const columns = {
  "--columns": "minmax(0, 1fr) minmax(0, 1fr) 104px",
  "--phone-columns": "minmax(0, 1fr) minmax(0, 1fr)",
};

const exampleBody = `{"items": [{"id": "order-1042", "input": "Where is my order?", "expected_output": "Sent on Monday."}]}`;

/** Page of a dataset: its items, which can be changed, imported and exported. */
export const DatasetPage = ({ id: dataset_id }: { readonly id: string }) => {
  const path = { dataset_id };
  const dataset = useLoad((signal) => client.value.getDataset({ path }, { signal }), []);
  const list = usePagedList(
    (query, signal) => client.value.listDatasetItems({ path, query }, { signal }),
    dataset_id,
    signOutIfUnauthorized,
  );
  const openItem = useSignal<DatasetItem | null>(null);
  const { perform, isBusy, outcome } = useAction();
  const deleteAndLeave = useDeletion();
  const importFile = (field: HTMLInputElement) =>
    perform(async () => {
      const [file] = field.files ?? [];
      if (file === undefined) return null;
      const count = await importItems(dataset_id, file).finally(() => (field.value = ""));
      list.reload();
      return `${plural(count, "item")} of ${file.name} imported.`;
    });
  const remove = () => perform(() => deleteAndLeave(() => client.value.deleteDataset({ path }), hrefTo("datasets")));
  const close = (): void => {
    openItem.value = null;
    list.reload();
  };
  return (
    <main class="runs">
      <a href={hrefTo("datasets")}>← Datasets and experiments</a>
      <h1 dir="auto">{dataset.value?.name ?? "Dataset"}</h1>
      <p class="facts" dir="auto">
        {dataset.value?.description}
      </p>
      <div class="said">
        <label class="writes">
          Import .ndjson, .csv or .json{" "}
          <input type="file" disabled={isBusy} onChange={({ currentTarget }) => void importFile(currentTarget)} />
        </label>
        <button type="button" disabled={isBusy} onClick={() => void perform(() => exportItems(dataset_id))}>
          Export .ndjson
        </button>
        <span class="writes">
          <ConfirmButton label="Delete dataset" question="Delete it with all items? Traces stay." onConfirm={remove} />
        </span>
        {list.total !== null && <b aria-live="polite">{plural(list.total, "item")}</b>}
      </div>
      {outcome}
      <ErrorAlert {...dataset} />
      <ErrorAlert {...list} />
      {list.total === 0 && (
        <EmptyNote command={curlCommand(`/datasets/${dataset_id}/items`, exampleBody)}>
          No items yet. Import a file whose rows have <code>id</code>, <code>input</code>, <code>expected_output</code>{" "}
          and <code>metadata</code>, choose Add to dataset on a <a href={hrefTo("traces")}>trace</a>, or call the API:
        </EmptyNote>
      )}
      <div class="list" style={columns}>
        <PagedRows
          list={list}
          height={52}
          label="Items"
          row={(item) => (
            <div class="row list-row" role="row" key={item.id} onClick={() => (openItem.value = item)}>
              <span role="gridcell" class="name">
                <button type="button" class="quiet">
                  {item.external_id ?? item.id}
                </button>
                <span class="words-of">{shortText(item.input)}</span>
              </span>
              <span role="gridcell" class="user">
                {item.expected_output === null ? "no expected output" : shortText(item.expected_output)}
              </span>
              <span role="gridcell" class="number wide">
                <LocalTime at={item.revised_at} />
              </span>
            </div>
          )}
        />
      </div>
      {openItem.value !== null && <ItemEditor item={openItem.value} onClose={close} />}
    </main>
  );
};
