import type { Page } from "playwright-core";

/** Counts the clicks of a page from now on, and choices in its selects as one each. @returns a function that reads the number. */
export const countClicks = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate(
    `globalThis.clicks = 0;
     for (const type of ["click", "change"])
       addEventListener(type, ({ isTrusted, target, detail }) => {
         // Enter in a form clicks its button, with no pointer.
         if (type === "change" ? target.tagName === "SELECT" : isTrusted && detail > 0) globalThis.clicks += 1;
       }, true);`,
  );
  return () => page.evaluate<number>("globalThis.clicks");
};
