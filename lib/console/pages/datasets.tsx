import { useSignal } from "@preact/signals";
import { useAction } from "../parts/action.tsx";
import { curlCommand, EmptyNote } from "../parts/curl.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { bindText, handleSubmit } from "../parts/form-bindings.ts";
import { LocalTime } from "../parts/labels.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { DataTable } from "../parts/wide-table.tsx";
import { hrefTo, useNavigate } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";

/** Max datasets and max experiments of a project. */
const maxEntries = 1_000;

const example = `# Langfuse's SDK runs your agent over a dataset:
get_client().get_dataset("refunds").run_experiment(name="release 2.3", task=agent)

# OpenTelemetry, in any language: attributes of each trace's top span
span.set_attribute("assay.dataset", "refunds")
span.set_attribute("assay.experiment", "release 2.3")
span.set_attribute("assay.experiment.item", item["id"])`;

/** Link to a dataset or an experiment. */
const entryLink = (page: string, { id, name }: { readonly id: string; readonly name: string }) => (
  <a class="clipped" href={hrefTo(page, id)} dir="auto">
    {name}
  </a>
);

/** Page with the project's datasets and experiments. */
export const DatasetsPage = () => {
  const lists = useLoad(async (signal) => {
    const [{ each }, query] = [client.value, { limit: 200 }];
    const datasets = collect(each.listDatasets({ query }, { signal }), maxEntries);
    return await Promise.all([datasets, collect(each.listExperiments({ query }, { signal }), maxEntries)]);
  }, []);
  const [datasets, experiments] = lists.value ?? [];
  const name = useSignal("");
  const { perform, isBusy, errorAlert } = useAction();
  const navigate = useNavigate();
  const create = () =>
    perform(async () => {
      const { id } = await client.value.createDataset({ body: { name: name.value.trim() } });
      navigate(hrefTo("datasets", id));
    });
  return (
    <main>
      <h1>Datasets</h1>
      <form class="buttons writes" onSubmit={handleSubmit(create)}>
        <input required aria-label="New dataset" placeholder="Name of a new dataset" {...bindText(name)} />
        <button type="submit" class="main" disabled={isBusy}>
          Create
        </button>
      </form>
      {errorAlert}
      <ErrorAlert {...lists} />
      {lists.value === null && lists.error === null && <LoadingNote>Loading datasets and experiments</LoadingNote>}
      {datasets?.length === 0 && (
        <EmptyNote command={curlCommand("/datasets", '{"name": "refunds"}')}>
          A dataset is a list of inputs for your agent with the answers that you expect. Create one above and import a
          file, choose Add to dataset on a <a href={hrefTo("traces")}>trace</a>, or call the API:
        </EmptyNote>
      )}
      <DataTable
        label="Datasets"
        rows={datasets}
        columns={[
          ["dataset", (dataset) => entryLink("datasets", dataset)],
          ["items", ({ item_count: items }) => items],
          ["changed", ({ updated_at: at }) => <LocalTime at={at} />],
          ["description", ({ description }) => <span class="clipped">{description}</span>],
        ]}
      />
      <h2>Experiments</h2>
      {experiments?.length === 0 && (
        <EmptyNote command={example}>
          An experiment is one release of your agent over the items of a dataset; two of them are compared item by item.
          It appears here when its first trace names it:
        </EmptyNote>
      )}
      <DataTable
        label="Experiments"
        rows={experiments}
        columns={[
          ["experiment", (experiment) => entryLink("experiments", experiment)],
          ["dataset", ({ dataset }) => <span class="clipped">{dataset}</span>],
          ["started", ({ started_at: at }) => <LocalTime at={at} />],
        ]}
      />
    </main>
  );
};
