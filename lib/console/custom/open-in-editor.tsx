import { ConfirmButton } from "../parts/action.tsx";
import { navigate, hrefTo } from "../route.ts";
import { hasDraft, saveDraft } from "../draft.ts";
import type { MetricForm } from "./form.ts";
import { newMetricDraftName } from "./metric-links.ts";

/** Button that opens a definition as a new metric in the editor; asks before it replaces a stored draft. */
export const OpenInEditor = ({ form }: { readonly form: () => MetricForm }) => {
  const label = "Open in the editor";
  const open = (): void => {
    saveDraft(newMetricDraftName, form());
    navigate(hrefTo("new-metric"));
  };
  if (hasDraft(newMetricDraftName))
    return <ConfirmButton label={label} question="This replaces your unsaved draft." onConfirm={open} />;
  return (
    <button type="button" class="main" onClick={open}>
      {label}
    </button>
  );
};
