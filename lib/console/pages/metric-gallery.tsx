import { useSignal } from "@preact/signals";
import { submits, writes } from "../parts/fields.ts";
import type { GalleryMetric } from "../../client/interface.ts";
import { collected } from "../collected.ts";
import { useLoad } from "../load.ts";
import { DefinitionOf } from "../custom/definition.tsx";
import { formOf } from "../custom/form.ts";
import { OpenInEditor } from "../custom/open-in-editor.tsx";
import { hrefOfMetric } from "../custom/places.ts";
import { useAct } from "../parts/act.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { goTo, hrefTo } from "../place.ts";
import { client } from "../sign-in.ts";

/** A metric to begin with. */
const GalleryItem = ({ metric }: { readonly metric: GalleryMetric }) => {
  const name = useSignal(metric.name);
  const { act, isBusy, told } = useAct();
  const copy = (): Promise<void> =>
    act(async () => {
      const made = await client.value.copyGalleryMetric({ body: { metric: metric.name, name: name.value.trim() } });
      goTo(hrefOfMetric(made.name));
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
        <summary>What it says</summary>
        <DefinitionOf definition={metric.definition} rubric={null} />
      </details>
      <form class="buttons writes" onSubmit={submits(copy)}>
        <label>
          As <input required {...writes(name)} maxLength={64} />
        </label>
        <OpenInEditor form={() => formOf(metric.definition, name.value)} />
        <button type="submit" disabled={isBusy}>
          Copy as it is
        </button>
      </form>
      {told}
    </article>
  );
};

/** What is there to begin with? */
export const MetricGalleryPage = () => {
  const { value, error, again } = useLoad(
    (signal) => collected(client.value.each.listGalleryMetrics({}, { signal })),
    [],
  );
  return (
    <main>
      <div class="title">
        <h1>Gallery of metrics</h1>
        <a href={hrefTo("own-metrics")}>All own metrics</a>
      </div>
      <Trouble error={error} again={again} />
      {value === null && error === null && <Waiting>Loading the gallery</Waiting>}
      {(value ?? []).map((metric) => (
        <GalleryItem key={metric.name} metric={metric} />
      ))}
    </main>
  );
};
