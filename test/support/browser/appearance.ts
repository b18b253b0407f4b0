import { setTimeout } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";

/** What a page looks like, as numbers. */
export interface Appearance {
  /** Font sizes in CSS pixels of all displayed texts. */
  readonly sizes: readonly number[];
  readonly weights: readonly number[];
  /** Sum of layout shifts that no input caused. */
  readonly shift: number;
}

/** Script that observes layout shifts from the start of a document. */
const observeShifts = `window.layoutShift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.layoutShift += entry.value;
}).observe({ type: "layout-shift", buffered: true });`;

/** Script that reads sizes and weights of the displayed texts. A text within a select field has the field's font. */
const readFonts = `(() => {
  const sizes = new Set(), weights = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if ((!hasText && !element.matches("input, textarea")) || element.closest("option") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    sizes.add(Number.parseFloat(style.fontSize));
    weights.add(Number(style.fontWeight));
  }
  return { sizes: [...sizes], weights: [...weights], shift: window.layoutShift };
})()`;

/** Observes layout shifts in the documents that a page will load. */
export const observe = async (page: Page): Promise<void> => {
  await page.addInitScript({ content: observeShifts });
};

/** Reads the fonts of a page's texts and the layout shifts since its document began. */
export const appearanceOf = async (page: Page): Promise<Appearance> => await page.evaluate(readFonts);

/** Script that reads the rows of a list that are whole within the window, and where the first one begins. */
const readRows = `(() => {
  const box = document.querySelector(".rows").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".trace-row")].map((row) => row.getBoundingClientRect());
  const end = Math.min(innerHeight, box.bottom);
  return {
    count: rows.filter(({ top, bottom }) => top >= box.top && bottom <= end + 1).length,
    above: Math.min(...rows.map(({ top }) => top)),
    cut: [...document.querySelectorAll(".trace-row .name a")]
      .filter((name) => name.textContent.length <= 16 && name.scrollWidth > name.clientWidth)
      .map((name) => name.textContent),
  };
})()`;

/** Number of whole rows of a trace list, pixels above the first, and names of at most 16 characters that are cut off. */
export const rowsOf = async (
  page: Page,
): Promise<{ readonly count: number; readonly above: number; readonly cut: readonly string[] }> =>
  await page.evaluate(readRows);

/**
 * Script that reads which share of a page is empty, in a raster of 8 pixels from the top of its content to the lowest text: a point is
 * full within an element with text, a control, or a picture, and within what has a background or a border of its own.
 */
const readEmptiness = `(() => {
  const main = document.querySelector("main"), inset = Number.parseFloat(getComputedStyle(main).paddingLeft);
  const plain = getComputedStyle(document.documentElement).backgroundColor;
  const isBox = (element) => {
    const { backgroundColor, borderTopWidth, borderLeftWidth, borderTopStyle } = getComputedStyle(element);
    const isPainted = backgroundColor !== plain && !/(?:, 0\\)|\\/ 0\\)|transparent)$/u.test(backgroundColor);
    return isPainted || (borderTopStyle !== "none" && borderTopWidth !== "0px" && borderLeftWidth !== "0px");
  };
  const isFull = (element) =>
    element.matches("a, button, input, select, svg, canvas, img, h1, h2, summary, p, dl") ||
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "") || isBox(element);
  const { left, right, top } = main.getBoundingClientRect();
  const filled = [...main.querySelectorAll("*")].filter((each) => each.checkVisibility() && isFull(each));
  const bottom = Math.min(innerHeight, Math.max(...filled.map((each) => each.getBoundingClientRect().bottom)));
  let points = 0, empty = 0;
  for (let y = top + inset; y < bottom; y += 8)
    for (let x = left + inset; x < right - inset; x += 8) {
      points += 1;
      let element = document.elementFromPoint(x, y);
      while (element !== null && element !== main && !isFull(element)) element = element.parentElement;
      if (element === null || element === main) empty += 1;
    }
  return empty / points;
})()`;

/** Returns the share of a page's content that is empty, from 0 to 1. */
export const emptinessOf = async (page: Page): Promise<number> => await page.evaluate(readEmptiness);

/** Bytes per second of a line of 400 kbit/s. */
const slowLine = 50_000;

/**
 * Opens an address in a new page of a context on a line of 400 kbit/s, and returns the headings that are in the document when it is
 * first painted.
 */
export const firstPaintOf = async (context: BrowserContext, address: string): Promise<readonly string[]> => {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const line = { offline: false, latency: 20, downloadThroughput: slowLine, uploadThroughput: slowLine };
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", line);
  await page.addInitScript({
    content: `new PerformanceObserver(() => {
      window.firstPaint ??= [...document.querySelectorAll("h1")].map(({ textContent }) => textContent);
    }).observe({ type: "paint", buffered: true });`,
  });
  await page.goto(address, { waitUntil: "commit" });
  for (;;) {
    const titles = await page.evaluate<readonly string[] | null>("window.firstPaint ?? null");
    if (titles !== null) {
      await page.close();
      return titles;
    }
    await setTimeout(50);
  }
};
