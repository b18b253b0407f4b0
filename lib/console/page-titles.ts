/** Titles of pages until they are loaded, by the first segment of their address. */
export const pageTitles: Readonly<Record<string, string>> = {
  dashboard: "Dashboard",
  start: "Send the first trace",
  traces: "Traces",
  sessions: "Sessions",
  users: "Users",
  runs: "Runs",
  "session-runs": "Runs",
  scores: "Scores",
  metrics: "Metrics",
  compare: "Compare",
  "own-metrics": "Custom metrics",
  "new-metric": "New metric",
  "metric-gallery": "Gallery of metrics",
  "metric-import": "Import a metric",
  monitors: "Monitors",
  alerts: "Alerts",
  "new-alert": "New alert rule",
  datasets: "Datasets",
  experiments: "Experiment",
  "label-sets": "Labels",
  label: "Label",
  settings: "Settings",
  "cli-login": "Sign in on the command line",
};

/** Returns the title of the page at a fragment, such as `#/runs/4`. */
export const titleAt = (hash: string): string => {
  const [page = ""] = hash.replace(/^#\/?/u, "").split(/[/?]/u);
  return pageTitles[page === "" ? "traces" : page] ?? "Page not found";
};
