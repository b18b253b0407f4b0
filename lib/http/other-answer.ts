/** The answer to a request that was only tried out: with 200, whatever the route answers otherwise. */
export class DryRun<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

/** The answer to a request that has more to tell than that it was done: with 200, where the route answers 204 otherwise. */
export class Report<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}
