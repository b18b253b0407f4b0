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
