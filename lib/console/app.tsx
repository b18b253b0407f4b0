import { render } from "preact";
import { CliLoginPage } from "./pages/cli-login.tsx";
import { customPages } from "./custom/places.ts";
import { MetricGalleryPage } from "./pages/metric-gallery.tsx";
import { MetricImportPage } from "./pages/metric-import.tsx";
import { MetricsPage } from "./pages/metrics.tsx";
import { MonitorsPage } from "./pages/monitors.tsx";
import { NewMetricPage } from "./pages/new-metric.tsx";
import { CustomMetricPage } from "./pages/custom-metric.tsx";
import { CustomMetricsPage } from "./pages/custom-metrics.tsx";
import { RunPage } from "./pages/run.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { ScoresPage } from "./pages/scores.tsx";
import { SessionPage } from "./pages/session.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { TracePage } from "./pages/trace.tsx";
import { TracesPage } from "./pages/traces.tsx";
import { KeysHelp } from "./parts/keys-help.tsx";
import { hrefTo, place } from "./place.ts";
import { ProjectChoice } from "./project-choice.tsx";
import { SignInPage } from "./sign-in-page.tsx";
import { isNowhere, mayWrite, reader } from "./sign-in.ts";
import { openTabsAsReader } from "./tabs.ts";

const pages = [
  ["traces", "Traces"],
  ["runs", "Runs"],
  ["metrics", "Metrics"],
  ["monitors", "Monitors"],
  ["settings", "Settings"],
] as const;

/** Pages that are about no project. */
const ofPeople: ReadonlySet<string> = new Set(["settings", "cli-login"]);

const Shown = () => {
  const { page, id, query } = place.value;
  if (!mayWrite.value && (page === "new-metric" || page === "metric-import" || query["edit"] !== undefined))
    return (
      <main>
        <h1>This key may only read</h1>
        <p>
          <a href={hrefTo("own-metrics")}>All own metrics</a>
        </p>
      </main>
    );
  if (page === "traces") return id === null ? <TracesPage /> : <TracePage id={id} />;
  if (page === "sessions" && id !== null) return <SessionPage id={id} key={id} />;
  if (page === "runs" || page === "session-runs")
    return id === null ? <RunsPage key={page} /> : <RunPage id={id} kind={page} key={id} />;
  if (page === "scores") return <ScoresPage />;
  if (page === "metrics") return <MetricsPage />;
  if (page === "own-metrics") return id === null ? <CustomMetricsPage /> : <CustomMetricPage id={id} key={id} />;
  if (page === "new-metric") return <NewMetricPage />;
  if (page === "metric-gallery") return <MetricGalleryPage />;
  if (page === "metric-import") return <MetricImportPage />;
  if (page === "monitors") return <MonitorsPage />;
  if (page === "settings") return <SettingsPage />;
  if (page === "cli-login") return <CliLoginPage />;
  return (
    <main>
      <h1>There is no such page</h1>
      <p>
        <a href={hrefTo("traces")}>Go to the traces</a>
      </p>
    </main>
  );
};

/** The page of the list above that a page belongs to. */
const pageIn = (page: string): string => (customPages.has(page) ? "metrics" : page);

/** Until it is known which project is read, or for good where there is none. */
const WithoutProject = () => {
  if (!isNowhere.value) return <main aria-busy="true" />;
  return (
    <main>
      <h1>There is no project to look at yet</h1>
      <p>
        You are a member of no organization that has one. <a href={hrefTo("settings")}>Settings</a> has your invitations
        and makes projects.
      </p>
    </main>
  );
};

const App = () => {
  const who = reader.value;
  if (who === null) return <SignInPage />;
  const key = who.kind === "key" ? who.projectName : who.projectId;
  return (
    <>
      <header class="top">
        <a class="brand" href={hrefTo("traces")}>
          Assay
        </a>
        <nav aria-label="Pages">
          {pages.map(([page, title]) => (
            <a href={hrefTo(page)} aria-current={pageIn(place.value.page) === page ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <KeysHelp />
        <ProjectChoice />
      </header>
      {ofPeople.has(place.value.page) ? <Shown /> : key === null ? <WithoutProject /> : <Shown key={key} />}
    </>
  );
};

openTabsAsReader();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
