/**
 * Runs requests one after the other. Concurrent requests start additional sandboxes of a function, which takes longer
 * than the replies; tests use concurrency only where they are about it.
 * @returns the replies, in the order of the requests.
 */
export const inTurn = async <Question, Answer>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): Promise<readonly Answer[]> => {
  const answers: Answer[] = [];
  for (const question of questions) answers.push(await ask(question));
  return answers;
};
