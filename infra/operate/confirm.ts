/** Asks the operator a question; null without a terminal. */
export type Ask = (question: string) => Promise<string | null>;

/**
 * Lets the operator confirm a destructive command by typing the name of its object, unless `--yes` is given.
 *
 * @param effect what the command does, a sentence without its full stop.
 * @throws Error if the answer is another one, or nobody can be asked.
 */
export const confirm = async (
  effect: string,
  name: string,
  { yes, ask }: { yes: boolean; ask: Ask },
): Promise<void> => {
  if (yes) return;
  const answer = await ask(`${effect}. Type its name to go on (${name}): `);
  if (answer === null) throw new Error(`${effect}: add --yes where nobody can be asked. Nothing was changed.`);
  if (answer.trim() !== name) throw new Error("That is another name. Nothing was changed.");
};
