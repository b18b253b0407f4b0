/** The answer to a request that was only tried out: with 200, whatever the route answers otherwise. */
export class DryRun<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}
