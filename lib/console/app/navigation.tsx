import {
  Activity,
  Bell as BellIcon,
  Database,
  Gauge,
  LayoutDashboard,
  ListChecks,
  Menu,
  MessagesSquare,
  Radar,
  Settings,
  Tag,
  Users,
  type IconNode,
} from "lucide";
import { useEffect } from "preact/hooks";
import { Bell } from "../alerts/bell.tsx";
import { customMetricPages } from "../custom/metric-links.ts";
import { Icon } from "../display/icon.tsx";
import { hash, hrefTo, route } from "../route.ts";
import { currentViewer, isLabeller } from "../sign-in.ts";
import { AccountMenu } from "./account-menu.tsx";
import { pageTitles } from "../page-titles.ts";
import { ProjectSelect } from "./project-select.tsx";
import { ShortcutsHelp } from "./shortcuts-help.tsx";

type Entry = readonly [page: string, icon: IconNode, title?: string];

const observe: readonly Entry[] = [
  ["dashboard", LayoutDashboard],
  ["traces", Activity],
  ["sessions", MessagesSquare],
  ["users", Users],
];

const evaluate: readonly Entry[] = [
  ["runs", ListChecks],
  ["metrics", Gauge],
  ["monitors", Radar],
  ["alerts", BellIcon],
  ["datasets", Database],
  ["label-sets", Tag],
];

const settings: readonly Entry[] = [["settings", Settings]];

/** The only pages of a labeller. */
const ofLabellers: readonly Entry[] = [["label-sets", Tag, "Label"]];

/** Returns the pages of the navigation with their titles. */
export const navigationPages = (): readonly (readonly [page: string, title: string])[] =>
  (isLabeller.value ? ofLabellers : [...observe, ...evaluate, ...settings]).map(([page, , title]) => [
    page,
    title ?? pageTitles[page] ?? page,
  ]);

/** Returns the navigation entry of a page: `metrics` for comparisons and the pages of custom metrics, `traces` for the first run, `datasets` for experiments. */
export const navigationPageOf = (page: string): string => {
  if (page === "start") return "traces";
  if (page === "session-runs") return "runs";
  if (page === "new-alert") return "alerts";
  if (page === "experiments") return "datasets";
  if (page === "label") return "label-sets";
  return page === "compare" || page === "scores" || customMetricPages.has(page) ? "metrics" : page;
};

const Entries = ({ entries, title }: { readonly entries: readonly Entry[]; readonly title: string | null }) => (
  <>
    {title !== null && <p class="faint">{title}</p>}
    {entries.map(([page, icon, name]) => (
      <a href={hrefTo(page)} aria-current={navigationPageOf(route.value.page) === page ? "page" : undefined}>
        <Icon node={icon} />
        {name ?? pageTitles[page]}
      </a>
    ))}
  </>
);

/** Column at the side of all pages: project, pages in two groups, settings and account; on a phone a bar whose menu has the pages. */
export const Navigation = ({ projectKey }: { readonly projectKey: string | null }) => {
  useEffect(() => document.querySelector<HTMLElement>("#pages:popover-open")?.hidePopover(), [hash.value]);
  return (
    <header class="top">
      <button type="button" class="quiet menu" popovertarget="pages" aria-label="Pages">
        <Icon node={Menu} />
      </button>
      <a class="brand" href={hrefTo("traces")}>
        Assay
      </a>
      {projectKey !== null && !isLabeller.value && <Bell key={projectKey} />}
      <ProjectSelect />
      <nav id="pages" popover="auto" aria-label="Pages">
        {isLabeller.value ? (
          <Entries title={null} entries={ofLabellers} />
        ) : (
          <>
            <Entries title="Observe" entries={observe} />
            <Entries title="Evaluate" entries={evaluate} />
            <Entries title={null} entries={settings} />
          </>
        )}
      </nav>
      <ShortcutsHelp />
      {currentViewer.value !== null && <AccountMenu />}
    </header>
  );
};
