import { useSignal } from "@preact/signals";
import { handleSubmit, bindText } from "../parts/form-bindings.ts";
import type { GalleryMetric } from "../../client/interface.ts";
import { collect } from "../use-paged-list.ts";
import { useLoad } from "../use-load.ts";
import { MetricDefinition } from "../custom/metric-definition.tsx";
import { metricFormOf } from "../custom/form.ts";
import { OpenInEditor } from "../custom/open-in-editor.tsx";
import { customMetricHref } from "../custom/metric-links.ts";
import { useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, useNavigate } from "../route.ts";
import { client } from "../sign-in.ts";

/** Card of a gallery metric, with forms to copy it or open it in the editor. */
const GalleryItem = ({ metric }: { readonly metric: GalleryMetric }) => {
  const name = useSignal(metric.name);
  const { perform, isBusy, outcome } = useAction();
  const navigate = useNavigate();
  const copy = (): Promise<void> =>
    perform(async () => {
      const created = await client.value.copyGalleryMetric({ body: { metric: metric.name, name: name.value.trim() } });
      navigate(customMetricHref(created.name));
      return null;
    });
  return (
    <article class="verdict" aria-label={metric.name}>
      <header>
        <h2>{metric.name.replaceAll("_", " ")}</h2>
        <span class="faint">of {metric.target_type === "TRACE" ? "traces" : "sessions"}</span>
      </header>
      <p>{metric.description}</p>
      <details>
        <summary>Definition</summary>
        <MetricDefinition definition={metric.definition} rubric={null} />
      </details>
      <form class="buttons writes" onSubmit={handleSubmit(copy)}>
        <label>
          Name <input required {...bindText(name)} maxLength={64} />
        </label>
        <OpenInEditor form={() => metricFormOf(metric.definition, name.value)} />
        <button type="submit" disabled={isBusy}>
          Copy unchanged
        </button>
      </form>
      {outcome}
    </article>
  );
};

/** Key of the local judge with fixed rules, which has none for custom metrics. */
const rulesJudge = "offline";

/** Says that the local rules judge cannot evaluate the gallery's metrics, where it is the judge. */
const RulesJudgeNote = () => {
  const { value } = useLoad(async (signal) => await client.value.listProviders(undefined, { signal }), []);
  const availableKeys = (value ?? []).flatMap(({ key, available }) => (available ? [key] : []));
  if (!availableKeys.includes(rulesJudge)) return null;
  const other = availableKeys.find((key) => key !== rulesJudge);
  return (
    <p role="note">
      The local rules judge (offline/rules) cannot try these metrics: it has no rule for them. Previews and runs need{" "}
      {other === undefined ? "the settings of a model provider." : `a model of a provider, such as ${other}.`}
    </p>
  );
};

/** Page with the gallery: predefined metrics that a project can copy. */
export const MetricGalleryPage = () => {
  const { value, error, reload } = useLoad(
    (signal) => collect(client.value.each.listGalleryMetrics({}, { signal })),
    [],
  );
  return (
    <main>
      <div class="title">
        <h1>Metric gallery</h1>
        <a href={hrefTo("own-metrics")}>All custom metrics</a>
      </div>
      <RulesJudgeNote />
      <ErrorAlert error={error} reload={reload} />
      {value === null && error === null && <LoadingNote>Loading the gallery</LoadingNote>}
      {(value ?? []).map((metric) => (
        <GalleryItem key={metric.name} metric={metric} />
      ))}
    </main>
  );
};
