import { AlertEditor } from "../alerts/alert-editor.tsx";
import { isRule } from "../alerts/words.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";

/** Page with the form of an alert rule. @param id rule to change; null for a new one. */
export const AlertFormPage = ({ id }: { readonly id: string | null }) => {
  const { value, error, isLoading, reload } = useLoad(
    async (signal) => (id === null ? null : await client.value.getAlert({ path: { alert_id: id } }, { signal })),
    [id],
  );
  return (
    <main>
      <p>
        <a href={hrefTo("alerts")}>← Alerts</a>
      </p>
      <h1 dir="auto">{id === null ? "New alert rule" : (value?.name ?? "Alert rule")}</h1>
      <ErrorAlert error={error} reload={reload} />
      {id !== null && isLoading && value === null && <LoadingNote>Loading the alert rule</LoadingNote>}
      {id === null && <AlertEditor base={null} key="new" />}
      {value !== null && isRule(value) && <AlertEditor base={value} key={value.id} />}
    </main>
  );
};
