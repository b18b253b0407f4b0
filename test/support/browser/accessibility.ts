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
