/** Items that stand where previous versions have listed them, and that nobody has counted. */
export interface FormerEntries {
  /**
   * Looks through some items of an index.
   *
   * @param from where it ended; undefined at the beginning.
   * @returns what moves each of those that were found, and tells whether it did, and where to go on; `next` is undefined at the end.
   */
  page(
    from: Readonly<Record<string, unknown>> | undefined,
    limit: number,
  ): Promise<{
    readonly moves: readonly (() => Promise<boolean>)[];
    readonly next: Readonly<Record<string, unknown>> | undefined;
  }>;
}
