/**
 * Asks one thing after the other: a function that is asked several at once is started as often, which takes longer than
 * its answers. At once is asked only where that is what a test is about.
 *
 * @returns the answers, in the order of the questions.
 */
export const inTurn = async <Question, Answer>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): Promise<readonly Answer[]> => {
  const answers: Answer[] = [];
  for (const question of questions) answers.push(await ask(question));
  return answers;
};
