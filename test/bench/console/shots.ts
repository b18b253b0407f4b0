/**
 * `npm run console:shots`: saves screenshots of every console page with demo data, in both colour schemes, at phone size
 * and in forced colours, to `.local/console-shots`; `-- runs trace` saves these pages only, `-- --readme` also the screenshots in README.md.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { repository } from "../../../infra/local/repository.ts";
import { openConsole, startBrowser } from "../../support/browser/browser.ts";
import { startService } from "../../support/service/service.ts";
import { demoData } from "./demo-data.ts";

const folder = join(repository, ".local", "console-shots");
const readmeDirectory = join(repository, "docs");

/** Pages with a screenshot in README.md. */
const ofReadme = new Set(["traces", "trace", "run"]);

/** Size in pixels of the README's screenshots. */
const small = { width: 1080, height: 520 };

const looks = [
  ["light", 1280, "none"],
  ["dark", 1280, "none"],
  ["light", 390, "none"],
  ["forced", 1280, "active"],
] as const;

const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

/** Milliseconds without a request after which a page is complete. */
const quietTime = 500;

/** Script that waits until no request has ended lately; the load state of a document ignores changes of its fragment. */
const untilQuiet = `new Promise((resolve) => {
  const look = () => {
    const ends = performance.getEntriesByType("resource").map(({ responseEnd }) => responseEnd);
    if (performance.now() - Math.max(...ends) > ${quietTime}) resolve();
    else setTimeout(look, 100);
  };
  setTimeout(look, ${quietTime});
})`;

const waitForPage = async (page: Page, selector: string): Promise<void> => {
  await page.locator(selector).first().waitFor();
  await page.evaluate(untilQuiet);
};

const shoot = async (): Promise<void> => {
  const service = await startService({ sharedThreads: false, limitFactor: 50 });
  const browser = await startBrowser();
  try {
    const { client, trace, session, run } = await demoData(service);
    await client.copyGalleryMetric({ body: { metric: "tone" } });
    await client.updateOwnMetric({
      path: { metric_name: "tone" },
      body: { threshold: 0.8, instructions: "The agent sells flights.\nRate it from 1 to 10." },
    });
    const alert = await client.createAlert({
      body: { name: "Failures in production", signal: "error_rate", window: "6h", threshold: 0.2, minimum_count: 5 },
    });
    const { id: set_id } = await client.createLabelSet({
      body: { name: "Demo of November", metrics: [{ name: "task_completion" }], size: 60 },
    });
    for (let at = 0; at < 40; at += 1) {
      const { item, trace: next } = await client.takeNextLabelItem({ path: { set_id } });
      // Mostly the judge's verdict.
      const labels = { task_completion: (next?.status === "ERROR") === at % 9 > 0 ? 0.25 : 1 };
      await client.putLabels({ path: { set_id, item_id: item?.id ?? "" }, body: { labels } });
    }
    await client.computeTrust({ path: { set_id }, body: { metric: "task_completion" } });
    const places = {
      dashboard: ["#/dashboard?range=7d&by=release", ".groups"],
      start: ["#/start", ".steps"],
      traces: ["#/traces", ".trace-row"],
      trace: [`#/traces/${trace}`, ".verdict"],
      timeline: [`#/traces/${trace}?view=timeline`, ".span-row"],
      session: [`#/sessions/${encodeURIComponent(session)}`, ".turn"],
      sessions: ["#/sessions?sort_by=cost&range=7d", ".session-row"],
      users: ["#/users", ".user-row"],
      user: ["#/users/customer-1", ".trace-row"],
      runs: ["#/runs", ".run-row"],
      run: [`#/runs/${run}`, ".score-row"],
      metrics: ["#/metrics?by=release", ".multiple .groups"],
      "label-sets": ["#/label-sets", "main table"],
      "label-set": [`#/label-sets/${set_id}?metric=task_completion&cell=fp`, "main table"],
      label: [`#/label/${set_id}`, ".label-form"],
      monitors: ["#/monitors", ".monitor"],
      alerts: ["#/alerts", ".alert-row"],
      alert: [`#/alerts/${alert.id}`, ".signal"],
      "alert-form": ["#/new-alert?environment=production", ".signal"],
      scores: ["#/scores?name=task_completion", ".score-row"],
      "own-metrics": ["#/own-metrics", ".verdict"],
      "own-metric": ["#/own-metrics/tone?against=1", ".lines"],
      editor: ["#/own-metrics/tone?edit=1", ".remark"],
      gallery: ["#/metric-gallery", ".verdict"],
      import: ["#/metric-import", "textarea"],
      settings: ["#/settings", "main"],
    } as const;
    mkdirSync(folder, { recursive: true });
    mkdirSync(readmeDirectory, { recursive: true });
    for (const [look, width, forcedColors] of looks) {
      const { page } = await openConsole(browser, service, "#/traces", {
        colorScheme: look === "forced" ? "light" : look,
        forcedColors,
        viewport: { width, height: 800 },
        reducedMotion: "reduce",
      });
      for (const [name, [place, selector]] of Object.entries(places)) {
        if (names.length > 0 && !names.includes(name)) continue;
        await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
        await waitForPage(page, selector);
        const file = `${name}-${look}-${width}.png`;
        await page.screenshot({ path: join(folder, file) });
        if (process.argv.includes("--readme") && look === "light" && width === 1280 && ofReadme.has(name)) {
          await page.setViewportSize(small);
          await page.screenshot({ path: join(readmeDirectory, `console-${name}.png`) });
          await page.setViewportSize({ width, height: 800 });
        }
        console.log(join(folder, file));
      }
    }
  } finally {
    await browser.close();
    await service.close();
  }
};

await shoot();
