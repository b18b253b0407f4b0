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

/** Stored JSON text of the answer to an earlier request with the same idempotency key. */
export class ReplayedAnswer {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A lazily computed answer with a cheap ETag. A 304 reply never computes the answer.
 *
 * @example
 * return new WithETag([project.id, row.version], async () => traceReply(await readTrace(row)));
 */
export class WithETag<Answer> {
  /** JSON values that, with the version of the code, determine the answer. They must not be newer than the answer's state. */
  readonly identity: readonly unknown[];
  readonly compute: () => Answer | Promise<Answer>;

  constructor(identity: readonly unknown[], compute: () => Answer | Promise<Answer>) {
    this.identity = identity;
    this.compute = compute;
  }
}
