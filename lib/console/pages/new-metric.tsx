import { useDraft } from "../draft.ts";
import { MetricEditor } from "../custom/metric-editor.tsx";
import { emptyMetricForm } from "../custom/form.ts";
import { isForm } from "../custom/is-form.ts";
import { customMetricHref, newMetricDraftName } from "../custom/metric-links.ts";
import { hrefTo, useNavigate } from "../route.ts";

/** Page with the editor for a new custom metric. */
export const NewMetricPage = () => {
  const draft = useDraft(newMetricDraftName, emptyMetricForm, isForm);
  const navigate = useNavigate();
  return (
    <main>
      <h1>New metric</h1>
      <MetricEditor
        draft={draft.value}
        base={null}
        onSave={({ name }) => {
          draft.discard();
          navigate(customMetricHref(name));
        }}
        onDiscard={() => {
          draft.discard();
          navigate(hrefTo("own-metrics"));
        }}
      />
    </main>
  );
};
