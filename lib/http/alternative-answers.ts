/** Answer to a dry run, sent with status 200 whatever the status of the route is. */
export class DryRun<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

/** Answer with a body from a route that answers 204 otherwise, sent with status 200. */
export class Report<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}
