import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { sample } from "../sample.ts";

/** Script of the checker. It is a global of a page once it has run there. */
const checker = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Rules beside WCAG 2.2 AA, and the one of WCAG that the checker does not apply by itself. */
const furtherRules = ["heading-order", "page-has-heading-one", "target-size"];

const options: RunOptions = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] },
  rules: Object.fromEntries(furtherRules.map((rule) => [rule, { enabled: true }])),
  // Limits the report to violations; otherwise every passing element is described.
  resultTypes: ["violations"],
};

/** Violations of WCAG 2.2 AA and of the order of headings on a page: each violated rule with the first element that violates it. */
export const flawsOf = async (page: Page): Promise<readonly string[]> => {
  // Half of a check's time goes into code that runs for the first time, so a document gets the checker once.
  if (await page.evaluate<boolean>("!('axe' in window)")) await page.evaluate(checker);
  return await page.evaluate<readonly string[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0]?.html))`,
  );
};

/** Colour schemes, widths and forced colours in which a page is checked. */
const layouts = [
  ["light", 1280, "none"],
  ["dark", 1280, "none"],
  ["dark", 390, "none"],
  ["light", 390, "none"],
  ["light", 1280, "active"],
] as const;

/** Width in CSS pixels that remains of the wider layout at a zoom of 200 %. */
const zoomed = 640;

/** Describes by how many pixels a page is wider than its window. */
const overflowAt = async (page: Page, width: number): Promise<readonly string[]> => {
  await page.setViewportSize({ width, height: 800 });
  const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  return beyond > 0 ? [`${width}: wider by ${beyond} pixels`] : [];
};

/** Violations of WCAG 2.2 AA of a page in a sample of colour schemes and widths, and its horizontal overflow in every width. */
export const flawsInEveryLayout = async (page: Page): Promise<readonly string[]> => {
  const before = page.viewportSize();
  const flaws: string[] = [];
  for (const width of [zoomed, ...new Set(layouts.map(([, layoutWidth]) => layoutWidth))])
    flaws.push(...(await overflowAt(page, width)));
  const place = new URL(page.url()).hash.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "");
  for (const [colorScheme, width, forcedColors] of sample(`layouts of ${place}`, layouts)) {
    await page.emulateMedia({ colorScheme, forcedColors });
    await page.setViewportSize({ width, height: 800 });
    flaws.push(...(await flawsOf(page)).map((flaw) => `${colorScheme}, ${width}, forced ${forcedColors}: ${flaw}`));
  }
  await page.emulateMedia({ forcedColors: "none" });
  if (before !== null) await page.setViewportSize(before);
  return flaws;
};
