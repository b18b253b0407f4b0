import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** What a page has against WCAG 2.2 AA: each rule that is broken, with the first element that breaks it. */
export const flawsOf = async (page: Page): Promise<readonly string[]> => {
  const checker = new AxeBuilder({ page })
    // The page's policy lets no script in: the checker is brought past it.
    .setLegacyMode(true)
    // Every element that passes would be described, too.
    .options({ resultTypes: ["violations"] })
    .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]);
  const { violations } = await checker.analyze();
  return violations.map(({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html}`);
};

/** Schemes and widths in which a page is looked at. */
const looks = [
  ["light", 1280],
  ["dark", 1280],
  ["dark", 390],
  ["light", 390],
] as const;

/** What a zoom of 200 % leaves of the wider one. */
const zoomed = 640;

/** By how much a page is wider than a window. */
const overflowAt = async (page: Page, width: number): Promise<readonly string[]> => {
  await page.setViewportSize({ width, height: 800 });
  const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  return beyond > 0 ? [`${width}: wider by ${beyond} pixels`] : [];
};

/** What a page has against WCAG 2.2 AA, and where it is wider than its window, in either scheme and in every width. */
export const flawsOfEveryLook = async (page: Page): Promise<readonly string[]> => {
  const before = page.viewportSize();
  const found = [...(await overflowAt(page, zoomed))];
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await overflowAt(page, width)));
    found.push(...(await flawsOf(page)).map((flaw) => `${colorScheme}, ${width}: ${flaw}`));
  }
  if (before !== null) await page.setViewportSize(before);
  return found;
};
