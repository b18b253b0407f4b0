/** What the page itself shows comes first: what can wait asks when nothing else is under way. */

let underWay = 0;

const waiting = new Set<() => void>();

/** Counts a question that is under way. */
export const asking = async <Value>(question: Promise<Value>): Promise<Value> => {
  underWay += 1;
  try {
    return await question;
  } finally {
    underWay -= 1;
    for (const look of waiting) look();
  }
};

/** Resolves when so few questions are under way. */
export const quiet = (besides: number): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (underWay > besides) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    // The page's own questions begin with it.
    setTimeout(look);
  });
