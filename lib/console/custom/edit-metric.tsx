import type { CustomMetric } from "../../client/interface.ts";
import { useDraft } from "../draft.ts";
import { MetricEditor } from "./metric-editor.tsx";
import { metricFormOf } from "./form.ts";
import { isForm } from "./is-form.ts";
import { editDraftName } from "./metric-links.ts";

/** Editor of an existing metric; saving creates a new version. */
export const EditMetric = ({
  metric,
  onSave,
  onDiscard,
}: {
  readonly metric: CustomMetric;
  readonly onSave: (metric: CustomMetric) => void;
  readonly onDiscard: () => void;
}) => {
  const draft = useDraft(editDraftName(metric.reference), metricFormOf(metric.definition, metric.name), isForm);
  return (
    <MetricEditor
      draft={draft.value}
      base={metric}
      onSave={(newVersion) => {
        draft.discard();
        onSave(newVersion);
      }}
      onDiscard={() => {
        draft.discard();
        onDiscard();
      }}
    />
  );
};
