import type { CustomMetric } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { EditMetric } from "../custom/edit-metric.tsx";
import { MetricDefinition, ScoreMeanings } from "../custom/metric-definition.tsx";
import { VersionDiff } from "../custom/version-diff.tsx";
import { customMetricHref } from "../custom/metric-links.ts";
import { LintWarnings } from "../custom/lint-warnings.tsx";
import { VersionTrends } from "../custom/version-trends.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { client, canWrite } from "../sign-in.ts";
import { shortTime } from "../format.ts";

/** Select field for one of a metric's versions. */
const VersionSelect = ({
  label,
  metric: { versions },
  value,
  emptyLabel,
  onSelect,
}: {
  readonly label: string;
  readonly metric: CustomMetric;
  readonly value: string;
  /** Label of an option for no version; null if a version is required. */
  readonly emptyLabel: string | null;
  readonly onSelect: (version: string) => void;
}) => (
  <label>
    {label}{" "}
    <select value={value} onChange={({ currentTarget }) => onSelect(currentTarget.value)}>
      {emptyLabel !== null && <option value="">{emptyLabel}</option>}
      {versions.toReversed().map(({ version, created_at: at }) => (
        <option value={String(version)}>
          {version}, {shortTime(at)}
        </option>
      ))}
    </select>
  </label>
);

/** Loads a version of a metric, also of a deleted one. @param version undefined for the newest version. */
const getVersion = (name: string, version: string | undefined, signal: AbortSignal): Promise<CustomMetric> =>
  client.value.getOwnMetric({ path: { metric_name: version === undefined ? name : `${name}@${version}` } }, { signal });

/**
 * Loads the shown version of a metric, and the one that it is compared with.
 *
 * @param requestedVersion undefined for the newest version. @param against empty without a comparison.
 */
const useVersions = (name: string, requestedVersion: string | undefined, against: string) => {
  const firstLoad = useLoad((signal) => getVersion(name, requestedVersion, signal), [name]);
  const loadedVersion = firstLoad.value?.version;
  const newestVersion = firstLoad.value?.versions.at(-1)?.version;
  const version = requestedVersion ?? String(newestVersion ?? "");
  const versionLoad = useLoad(
    async (signal) =>
      loadedVersion === undefined || version === String(loadedVersion) ? null : await getVersion(name, version, signal),
    [name, version, loadedVersion],
  );
  const comparisonLoad = useLoad(
    async (signal) => (against === "" ? null : await getVersion(name, against, signal)),
    [name, against],
  );
  return { firstLoad, versionLoad, comparisonLoad, version, newestVersion };
};

/** Name of a metric with links to its editor and scores, and a button that deletes it. */
const MetricHead = ({
  name,
  isEditable,
  onDelete,
}: {
  readonly name: string;
  readonly isEditable: boolean;
  readonly onDelete: () => void;
}) => {
  const { perform, outcome } = useAction();
  const remove = (): Promise<void> =>
    perform(async () => {
      await client.value.deleteOwnMetric({ path: { metric_name: name } });
      onDelete();
    });
  return (
    <>
      <div class="title">
        <h1>{name}</h1>
        <div class="buttons">
          {isEditable && (
            <a class="button main writes" href={customMetricHref(name, { edit: "1" })}>
              Edit
            </a>
          )}
          <a href={hrefTo("scores", null, { name })}>Scores</a>
          <a href={hrefTo("own-metrics")}>All custom metrics</a>
          {isEditable && canWrite.value && (
            <ConfirmButton label="Delete" question={`Delete ${name}? New runs cannot use it.`} onConfirm={remove} />
          )}
        </div>
      </div>
      {outcome}
    </>
  );
};

/** Section with a version of a metric: what it measures, what its scores mean, and its definition. */
const Definition = ({ metric }: { readonly metric: CustomMetric }) => (
  <section class="part" aria-label="Definition">
    <p dir="auto">{metric.description}</p>
    <p class="facts">
      <span class="tag">{metric.kind}</span>
      <span>of {metric.target_type === "TRACE" ? "traces" : "sessions"}</span>
      <span>
        changed <LocalTime at={metric.updated_at} />
      </span>
    </p>
    <ScoreMeanings text={metric.reads_as} />
    <LintWarnings warnings={metric.remarks} />
    <MetricDefinition definition={metric.definition} rubric={metric.rubric} />
  </section>
);

/**
 * Page of a custom metric: definition, comparison of versions, and trends by version; with `edit` in the query, its editor.
 * Of a deleted metric only the versions can be read, so that the first request names the version in the address.
 */
export const CustomMetricPage = ({ id: name }: { readonly id: string }) => {
  const { query } = route.value;
  const isEditing = query["edit"] !== undefined;
  const requestedVersion = isEditing ? undefined : query["version"];
  const against = query["against"] ?? "";
  const { firstLoad, versionLoad, comparisonLoad, version, newestVersion } = useVersions(
    name,
    requestedVersion,
    against,
  );
  if (firstLoad.value === null)
    return (
      <main>
        {firstLoad.error === null ? (
          <LoadingNote>Loading the metric</LoadingNote>
        ) : (
          <ErrorAlert error={firstLoad.error} reload={firstLoad.reload} />
        )}
      </main>
    );
  const metric = version === String(firstLoad.value.version) ? firstLoad.value : versionLoad.value;
  const { deleted_at: deletedAt } = firstLoad.value;
  const isEditable = deletedAt === null;
  if (isEditing && isEditable && metric !== null)
    return (
      <main>
        <h1>Edit {name}</h1>
        <EditMetric
          key={metric.reference}
          metric={metric}
          onDiscard={() => updateQuery({ edit: null })}
          onSave={(updated) => {
            updateQuery({
              edit: null,
              version: null,
              against: updated.version === newestVersion ? null : String(newestVersion),
            });
            firstLoad.reload();
          }}
        />
      </main>
    );
  const error = firstLoad.error ?? versionLoad.error ?? comparisonLoad.error;
  return (
    <main>
      <MetricHead
        name={name}
        isEditable={isEditable}
        onDelete={() => {
          updateQuery({ version });
          firstLoad.reload();
        }}
      />
      {deletedAt !== null && (
        <p role="status">
          {name} is deleted since <LocalTime at={deletedAt} />: new runs cannot use it. Its scores and versions stay.
        </p>
      )}
      <div class="filters">
        <VersionSelect
          label="Version"
          metric={firstLoad.value}
          value={version}
          emptyLabel={null}
          onSelect={(selectedVersion) =>
            updateQuery({
              version: isEditable && selectedVersion === String(newestVersion) ? null : selectedVersion,
            })
          }
        />
        <VersionSelect
          label="Compare with"
          metric={firstLoad.value}
          value={against}
          emptyLabel="nothing"
          onSelect={(selectedVersion) => updateQuery({ against: selectedVersion })}
        />
        {metric !== null && <CopyButton text={metric.reference}>{`Copy ${metric.reference}`}</CopyButton>}
      </div>
      <ErrorAlert
        error={error}
        reload={() => {
          if (firstLoad.error !== null) firstLoad.reload();
          versionLoad.reload();
          comparisonLoad.reload();
        }}
      />
      {metric === null && error === null && <LoadingNote>Loading the version</LoadingNote>}
      {metric !== null && comparisonLoad.value !== null && <VersionDiff before={comparisonLoad.value} after={metric} />}
      {metric !== null && <Definition metric={metric} />}
      <VersionTrends metric={firstLoad.value} />
    </main>
  );
};
