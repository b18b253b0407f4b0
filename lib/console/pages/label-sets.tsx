import { SetProgress } from "../labels/set-progress.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { DataTable } from "../parts/wide-table.tsx";
import { hrefTo } from "../route.ts";
import { client, isLabeller } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";

/** Page with the project's label sets; for a labeller the ways into their queues alone. */
export const LabelSetsPage = () => {
  const sets = useLoad((signal) => collect(client.value.each.listLabelSets({}, { signal })), []);
  return (
    <main>
      <h1>Label sets</h1>
      <ErrorAlert {...sets} />
      {sets.value === null && sets.error === null && <LoadingNote>Loading label sets</LoadingNote>}
      {sets.value?.length === 0 && (
        <div class="empty">
          <p>No label sets yet: people label a sample of traces, and their labels show what a judge is worth.</p>
          {!isLabeller.value && (
            <a class="button main" href={hrefTo("traces")}>
              Choose traces
            </a>
          )}
        </div>
      )}
      <DataTable
        label="Label sets"
        rows={sets.value ?? []}
        columns={[
          [
            "set",
            ({ id, name }) => (
              <a class="clipped" href={hrefTo(isLabeller.value ? "label" : "label-sets", id)} dir="auto">
                {name}
              </a>
            ),
          ],
          ["progress", (set) => <SetProgress {...set} />],
          ["status", ({ status }) => <StatusLabel status={status} />],
          ["metrics", ({ metrics }) => metrics.map(({ name }) => name.replaceAll("_", " ")).join(", ")],
          ["made", ({ created_at: at }) => <LocalTime at={at} />],
        ]}
      />
    </main>
  );
};
