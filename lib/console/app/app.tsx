import { render } from "preact";
import { lazyPage, PendingPage } from "../parts/lazy.tsx";
import { Navigation, navigationPageOf, navigationPages } from "./navigation.tsx";
import { PaletteKey } from "./palette-key.tsx";
import { hrefTo, pagesWithoutProject, route } from "../route.ts";
import { Notices } from "../parts/notices.tsx";
import { hasNoProjects, canWrite, currentViewer, isLabeller } from "../sign-in.ts";
import { nameKnownLanguage } from "./language.ts";
import { keepSignInInNewTabs } from "./tabs.ts";

// One file of script for each page; what several pages share is in files of its own.
const AlertFormPage = lazyPage(async () => (await import("../pages/alert-form.tsx")).AlertFormPage);
const AlertPage = lazyPage(async () => (await import("../pages/alert.tsx")).AlertPage);
const AlertsPage = lazyPage(async () => (await import("../pages/alerts.tsx")).AlertsPage);
const CliLoginPage = lazyPage(async () => (await import("../pages/cli-login.tsx")).CliLoginPage);
const ComparePage = lazyPage(async () => (await import("../pages/compare.tsx")).ComparePage);
const DashboardPage = lazyPage(async () => (await import("../pages/dashboard.tsx")).DashboardPage);
const DatasetPage = lazyPage(async () => (await import("../pages/dataset.tsx")).DatasetPage);
const DatasetsPage = lazyPage(async () => (await import("../pages/datasets.tsx")).DatasetsPage);
const ExperimentPage = lazyPage(async () => (await import("../pages/experiment.tsx")).ExperimentPage);
const LabelPage = lazyPage(async () => (await import("../pages/label.tsx")).LabelPage);
const LabelSetPage = lazyPage(async () => (await import("../pages/label-set.tsx")).LabelSetPage);
const LabelSetsPage = lazyPage(async () => (await import("../pages/label-sets.tsx")).LabelSetsPage);
const MetricGalleryPage = lazyPage(async () => (await import("../pages/metric-gallery.tsx")).MetricGalleryPage);
const MetricImportPage = lazyPage(async () => (await import("../pages/metric-import.tsx")).MetricImportPage);
const MetricsPage = lazyPage(async () => (await import("../pages/metrics.tsx")).MetricsPage);
const MonitorsPage = lazyPage(async () => (await import("../pages/monitors.tsx")).MonitorsPage);
const NewMetricPage = lazyPage(async () => (await import("../pages/new-metric.tsx")).NewMetricPage);
const CustomMetricPage = lazyPage(async () => (await import("../pages/custom-metric.tsx")).CustomMetricPage);
const CustomMetricsPage = lazyPage(async () => (await import("../pages/custom-metrics.tsx")).CustomMetricsPage);
const ReviewPage = lazyPage(async () => (await import("../pages/review.tsx")).ReviewPage);
const RunPage = lazyPage(async () => (await import("../pages/run.tsx")).RunPage);
const RunsPage = lazyPage(async () => (await import("../pages/runs.tsx")).RunsPage);
const ScoresPage = lazyPage(async () => (await import("../pages/scores.tsx")).ScoresPage);
const SessionPage = lazyPage(async () => (await import("../pages/session.tsx")).SessionPage);
const SessionsPage = lazyPage(async () => (await import("../pages/lists.tsx")).SessionsPage);
const SettingsPage = lazyPage(async () => (await import("../pages/settings.tsx")).SettingsPage);
const SignInPage = lazyPage(async () => (await import("../pages/sign-in.tsx")).SignInPage);
const StartPage = lazyPage(async () => (await import("../pages/start.tsx")).StartPage);
const TracePage = lazyPage(async () => (await import("../pages/trace.tsx")).TracePage);
const TracesPage = lazyPage(async () => (await import("../pages/lists.tsx")).TracesPage);
const UserPage = lazyPage(async () => (await import("../pages/lists.tsx")).UserPage);
const UsersPage = lazyPage(async () => (await import("../pages/lists.tsx")).UsersPage);

/** Pages that only make something new. */
const pagesThatWrite: ReadonlySet<string> = new Set(["new-metric", "metric-import", "new-alert"]);

const CurrentPage = () => {
  const { page, id, query } = route.value;
  if (page === "label" && id !== null) return <LabelPage id={id} key={id} />;
  if (isLabeller.value) return <LabelSetsPage />;
  if (!canWrite.value && (pagesThatWrite.has(page) || query["edit"] !== undefined)) {
    const list = navigationPageOf(page);
    return (
      <main>
        <h1>This key is read-only</h1>
        <p>
          <a href={hrefTo(list === "metrics" ? "own-metrics" : list)}>
            {list === "metrics" ? "All custom metrics" : "All alerts"}
          </a>
        </p>
      </main>
    );
  }
  if (page === "traces") return id === null ? <TracesPage /> : <TracePage id={id} />;
  if (page === "sessions") return id === null ? <SessionsPage /> : <SessionPage id={id} key={id} />;
  if (page === "users") return id === null ? <UsersPage /> : <UserPage id={id} key={id} />;
  if (page === "runs" || page === "session-runs")
    return id === null ? <RunsPage key={page} /> : <RunPage id={id} kind={page} key={id} />;
  if (page === "datasets") return id === null ? <DatasetsPage /> : <DatasetPage id={id} key={id} />;
  if (page === "label-sets") return id === null ? <LabelSetsPage /> : <LabelSetPage id={id} key={id} />;
  if (page === "experiments" && id !== null) return <ExperimentPage id={id} key={id} />;
  if (page === "dashboard") return <DashboardPage />;
  if (page === "start") return <StartPage />;
  if (page === "scores") return <ScoresPage />;
  if (page === "review") return <ReviewPage />;
  if (page === "metrics") return <MetricsPage />;
  if (page === "compare") return <ComparePage />;
  if (page === "own-metrics") return id === null ? <CustomMetricsPage /> : <CustomMetricPage id={id} key={id} />;
  if (page === "new-metric") return <NewMetricPage />;
  if (page === "metric-gallery") return <MetricGalleryPage />;
  if (page === "metric-import") return <MetricImportPage />;
  if (page === "monitors") return <MonitorsPage />;
  if (page === "new-alert") return <AlertFormPage id={null} />;
  if (page === "alerts" && id !== null)
    return query["edit"] === undefined ? <AlertPage id={id} key={id} /> : <AlertFormPage id={id} key={id} />;
  if (page === "alerts") return <AlertsPage />;
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

/** Page without a project: its title while projects are loading, a hint if there is none. */
const NoProject = () => {
  if (!hasNoProjects.value) return <PendingPage />;
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
      <Navigation projectKey={key} />
      <PaletteKey pages={navigationPages()} />
      <Notices />
      {route.value.query["project"] !== undefined ? (
        <PendingPage />
      ) : pagesWithoutProject.has(route.value.page) ? (
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
nameKnownLanguage();
const root = document.querySelector("#app");
// Preact keeps what the document has in the root: the message for a console that has not started.
root?.replaceChildren();
if (root !== null) render(<App />, root);
