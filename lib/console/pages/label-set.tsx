import { plural } from "../format.ts";
import { draws } from "../labels/draws.ts";
import { labelsWanted, SetProgress } from "../labels/set-progress.tsx";
import { TrustSection } from "../labels/trust.tsx";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { clientOfFile, savePages } from "../parts/files/file-requests.ts";
import { StatusLabel } from "../parts/labels.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, useDeletion } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";

/** Milliseconds between reloads of a set that people label or that is being closed. */
const pollInterval = 5_000;

/** Page of a label set: its progress, its files, and what the judge is worth by its labels. */
export const LabelSetPage = ({ id: set_id }: { readonly id: string }) => {
  const path = { set_id };
  const { value: set, ...load } = useLoad(
    (signal) => client.value.getLabelSet({ path }, { signal }),
    [],
    pollInterval,
    (value) => value?.status !== "CLOSED",
  );
  const { perform, isBusy, outcome } = useAction();
  const deleteAndLeave = useDeletion();
  const save = (ending: "csv" | "ndjson") =>
    savePages(set_id, ending, (reader, query) => reader.listLabelItems({ path, query }));
  const upload = (field: HTMLInputElement) =>
    perform(async () => {
      const [file] = field.files ?? [];
      if (file === undefined) return null;
      field.value = "";
      const { stored } = await (await clientOfFile(file, "items")).uploadLabels({ path, body: { items: [] } });
      load.reload();
      return `${plural(stored, "label")} of ${file.name} stored.`;
    });
  const close = () => perform(() => client.value.closeLabelSet({ path }).then(load.reload));
  const remove = () => perform(() => deleteAndLeave(() => client.value.deleteLabelSet({ path }), hrefTo("label-sets")));
  const missing = set === null ? 0 : labelsWanted(set) - set.label_count;
  return (
    <main>
      <a href={hrefTo("label-sets")}>← Label sets</a>
      <h1 dir="auto">{set?.name ?? "Label set"}</h1>
      <ErrorAlert {...load} />
      {set === null && load.error === null && <LoadingNote>Loading the label set</LoadingNote>}
      {set !== null && (
        <>
          <p class="facts">
            <StatusLabel status={set.status} /> <SetProgress {...set} />
            <span>{plural(set.labelled_count, "trace")} with labels</span>
            <span>{set.cannot_tell_count} cannot tell</span>
            {set.passed_over_count > 0 && <span>{set.passed_over_count} passed over: deleted or changed traces</span>}
            {set.status === "CLOSED" && (
              <span>
                {plural(set.published_count, "score")} made, {set.unpublished_count} not: deleted or changed traces
              </span>
            )}
            {set.draw !== null && <span>{draws[set.draw]}</span>}
            <span>{plural(set.labels_per_item, "label")} for each trace</span>
          </p>
          <div class="said">
            {set.status === "OPEN" && (
              <a class="button main writes" href={hrefTo("label", set_id)}>
                Label
              </a>
            )}
            {(["csv", "ndjson"] as const).map((ending) => (
              <button type="button" disabled={isBusy} onClick={() => void perform(() => save(ending))}>
                Download .{ending}
              </button>
            ))}
            {set.status === "OPEN" && (
              <span class="said writes">
                <label>
                  Upload .csv, .ndjson or .json{" "}
                  <input type="file" disabled={isBusy} onChange={({ currentTarget }) => void upload(currentTarget)} />
                </label>
                <ConfirmButton
                  label="Close set"
                  question={`Close it? ${missing > 0 ? `${plural(missing, "label")} missing. ` : ""}Labels become scores, and end.`}
                  onConfirm={close}
                />
              </span>
            )}
            <span class="writes">
              <ConfirmButton label="Delete set" question="Delete it with its labels? Scores stay." onConfirm={remove} />
            </span>
          </div>
          {outcome}
          <TrustSection set={set} />
        </>
      )}
    </main>
  );
};
