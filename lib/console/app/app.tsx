import { render } from "preact";
import { CliLoginPage } from "../pages/cli-login.tsx";
import { customMetricPages } from "../custom/metric-links.ts";
import { MetricGalleryPage } from "../pages/metric-gallery.tsx";
import { MetricImportPage } from "../pages/metric-import.tsx";
import { MetricsPage } from "../pages/metrics.tsx";
import { MonitorsPage } from "../pages/monitors.tsx";
import { NewMetricPage } from "../pages/new-metric.tsx";
import { CustomMetricPage } from "../pages/custom-metric.tsx";
import { CustomMetricsPage } from "../pages/custom-metrics.tsx";
import { RunPage } from "../pages/run.tsx";
import { RunsPage } from "../pages/runs.tsx";
import { ScoresPage } from "../pages/scores.tsx";
import { SessionPage } from "../pages/session.tsx";
import { SettingsPage } from "../pages/settings.tsx";
import { TracePage } from "../pages/trace.tsx";
import { TracesPage } from "../pages/traces.tsx";
import { ShortcutsHelp } from "./shortcuts-help.tsx";
import { hrefTo, route } from "../route.ts";
import { ProjectSelect } from "./project-select.tsx";
import { SignInPage } from "./sign-in-page.tsx";
import { hasNoProjects, canWrite, currentViewer } from "../sign-in.ts";
import { keepSignInInNewTabs } from "./tabs.ts";

const pages = [
  ["traces", "Traces"],
  ["runs", "Runs"],
  ["metrics", "Metrics"],
  ["monitors", "Monitors"],
  ["settings", "Settings"],
] as const;

/** Pages that need no project. */
const pagesWithoutProject: ReadonlySet<string> = new Set(["settings", "cli-login"]);

const CurrentPage = () => {
  const { page, id, query } = route.value;
  if (!canWrite.value && (page === "new-metric" || page === "metric-import" || query["edit"] !== undefined))
    return (
      <main>
        <h1>This key is read-only</h1>
        <p>
          <a href={hrefTo("own-metrics")}>All custom metrics</a>
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
      <h1>Page not found</h1>
      <p>
        <a href={hrefTo("traces")}>Go to traces</a>
      </p>
    </main>
  );
};

/** Returns the navigation entry of a page: `metrics` for the pages of custom metrics. */
const navigationPageOf = (page: string): string => (customMetricPages.has(page) ? "metrics" : page);

/** Page without a project: empty while projects are loading, a hint if there is none. */
const NoProject = () => {
  if (!hasNoProjects.value) return <main aria-busy="true" />;
  return (
    <main>
      <h1>No project yet</h1>
      <p>
        Create a project or accept an invitation in <a href={hrefTo("settings")}>Settings</a>.
      </p>
    </main>
  );
};

const App = () => {
  const viewer = currentViewer.value;
  if (viewer === null) return <SignInPage />;
  const key = viewer.kind === "key" ? viewer.projectName : viewer.projectId;
  return (
    <>
      <header class="top">
        <a class="brand" href={hrefTo("traces")}>
          Assay
        </a>
        <nav aria-label="Pages">
          {pages.map(([page, title]) => (
            <a href={hrefTo(page)} aria-current={navigationPageOf(route.value.page) === page ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <ShortcutsHelp />
        <ProjectSelect />
      </header>
      {pagesWithoutProject.has(route.value.page) ? (
        <CurrentPage />
      ) : key === null ? (
        <NoProject />
      ) : (
        <CurrentPage key={key} />
      )}
    </>
  );
};

keepSignInInNewTabs();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
