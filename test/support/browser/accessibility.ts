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

/** Schemes and widths in which a page is looked at; half of the wide one is what a zoom of 200 % leaves of it. */
const looks = [
  ["light", 1280],
  ["dark", 1280],
  ["dark", 640],
  ["dark", 390],
  ["light", 390],
] as const;

/** What a page has against WCAG 2.2 AA, and whether it is wider than its window, in either scheme and in every width. */
export const flawsOfEveryLook = async (page: Page): Promise<readonly string[]> => {
  const before = page.viewportSize();
  const found: string[] = [];
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    const flaws = [...(beyond > 0 ? [`wider by ${beyond} pixels`] : []), ...(await flawsOf(page))];
    found.push(...flaws.map((flaw) => `${colorScheme}, ${width}: ${flaw}`));
  }
  if (before !== null) await page.setViewportSize(before);
  return found;
};
