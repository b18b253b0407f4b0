import type { Scene } from "./question.ts";

/** Looks at something until it is so. @returns what was found last, so or not, and how long it took. */
export const until = async <Found>(
  { wait, patience }: Pick<Scene, "wait" | "patience">,
  milliseconds: number,
  look: () => Promise<Found>,
  isSo: (found: Found) => boolean,
): Promise<{ readonly found: Found; readonly isSo: boolean; readonly seconds: number }> => {
  const begun = performance.now();
  for (;;) {
    const found = await look();
    const taken = performance.now() - begun;
    if (isSo(found)) return { found, isSo: true, seconds: taken / 1000 };
    if (taken > milliseconds) return { found, isSo: false, seconds: taken / 1000 };
    await wait(patience.look);
  }
};
