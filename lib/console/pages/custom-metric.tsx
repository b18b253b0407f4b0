import { useSignal } from "@preact/signals";
import type { CustomMetric } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { ChangeMetric } from "../custom/change-metric.tsx";
import { DefinitionOf } from "../custom/definition.tsx";
import { DifferenceOf } from "../custom/difference-of.tsx";
import { hrefOfMetric } from "../custom/places.ts";
import { Remarks } from "../custom/remarks.tsx";
import { VersionTrends } from "../custom/version-trends.tsx";
import { Copy } from "../parts/copy.tsx";
import { Instant } from "../parts/instant.tsx";
import { Sure, useAct } from "../parts/act.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { hrefTo, place, refine } from "../place.ts";
import { client, mayWrite } from "../sign-in.ts";
import { when } from "../words.ts";

/** One of a metric's versions, or none. */
const Choice = ({
  label,
  of: { versions },
  value,
  none,
  choose,
}: {
  readonly label: string;
  readonly of: CustomMetric;
  readonly value: string;
  /** What it is called to choose none; null: one has to be chosen. */
  readonly none: string | null;
  readonly choose: (version: string) => void;
}) => (
  <label>
    {label}{" "}
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {none !== null && <option value="">{none}</option>}
      {versions.toReversed().map(({ version, created_at: at }) => (
        <option value={String(version)}>
          {version}, {when(at)}
        </option>
      ))}
    </select>
  </label>
);

const versionOf = (name: string, version: string, signal: AbortSignal): Promise<CustomMetric> =>
  client.value.getOwnMetric({ path: { metric_name: `${name}@${version}` } }, { signal });

/** What does a metric of one's own say, and what did it say before? */
export const CustomMetricPage = ({ id: name }: { readonly id: string }) => {
  const { query } = place.value;
  const newest = useLoad((signal) => client.value.getOwnMetric({ path: { metric_name: name } }, { signal }), [name]);
  const last = newest.value?.version;
  const [version, against] = [query["version"] ?? String(last ?? ""), query["against"] ?? ""];
  const shown = useLoad(
    async (signal) => (last === undefined || version === String(last) ? null : await versionOf(name, version, signal)),
    [name, version, last],
  );
  const other = useLoad(
    async (signal) => (against === "" ? null : await versionOf(name, against, signal)),
    [name, against, last],
  );
  const isDeleted = useSignal(false);
  const { act, told } = useAct();
  const remove = (): Promise<void> =>
    act(async () => {
      await client.value.deleteOwnMetric({ path: { metric_name: name } });
      isDeleted.value = true;
      return `${name} is deleted: no new run may ask for it. Its scores and versions stay.`;
    });
  if (newest.value === null)
    return (
      <main>
        {newest.error === null ? (
          <Waiting>Loading the metric</Waiting>
        ) : (
          <Trouble error={newest.error} again={newest.again} />
        )}
      </main>
    );
  const metric = version === String(last) ? newest.value : shown.value;
  const isOpen = newest.value.deleted_at === null && !isDeleted.value;
  if (query["edit"] !== undefined && isOpen)
    return (
      <main>
        <h1>Change {name}</h1>
        <ChangeMetric
          key={newest.value.reference}
          metric={newest.value}
          leave={() => refine({ edit: null })}
          changed={(made) => {
            refine({ edit: null, version: null, against: made.version === last ? null : String(last) });
            newest.again();
          }}
        />
      </main>
    );
  const error = shown.error ?? other.error;
  return (
    <main>
      <div class="title">
        <h1>{name}</h1>
        <div class="buttons">
          {isOpen && (
            <a class="button main writes" href={hrefOfMetric(name, { edit: "1" })}>
              Change
            </a>
          )}
          <a href={hrefTo("scores", null, { name })}>Its scores</a>
          <a href={hrefTo("own-metrics")}>All own metrics</a>
          {isOpen && mayWrite.value && (
            <Sure label="Delete" question={`Delete ${name}? No new run may ask for it.`} act={remove} />
          )}
        </div>
      </div>
      {told}
      {!isOpen && newest.value.deleted_at !== null && (
        <p class="faint">
          Deleted <Instant at={newest.value.deleted_at} />: no new run may ask for it.
        </p>
      )}
      <div class="filters">
        <Choice
          label="Version"
          of={newest.value}
          value={version}
          none={null}
          choose={(chosen) => refine({ version: chosen === String(last) ? null : chosen })}
        />
        <Choice
          label="Compared with"
          of={newest.value}
          value={against}
          none="nothing"
          choose={(chosen) => refine({ against: chosen })}
        />
        {metric !== null && <Copy text={metric.reference}>{`Copy ${metric.reference}`}</Copy>}
      </div>
      <Trouble
        error={error}
        again={() => {
          shown.again();
          other.again();
        }}
      />
      {metric === null && error === null && <Waiting>Loading the version</Waiting>}
      {metric !== null && other.value !== null && <DifferenceOf before={other.value} after={metric} />}
      {metric !== null && (
        <section class="part" aria-label="What it says">
          <p dir="auto">{metric.description}</p>
          <p class="facts">
            <span class="tag">{metric.kind}</span>
            <span>of {metric.target_type === "TRACE" ? "traces" : "sessions"}</span>
            <span>
              changed <Instant at={newest.value.updated_at} />
            </span>
          </p>
          <Remarks of={metric.remarks} />
          <DefinitionOf definition={metric.definition} rubric={metric.rubric} />
        </section>
      )}
      <VersionTrends metric={newest.value} />
    </main>
  );
};
