/** Items in an index of a previous version of the service, which the counters do not include. */
export interface LegacyEntries {
  /**
   * Reads some items of the index.
   *
   * @param from key at which the previous page ended; undefined for the first page.
   * @returns for each item a function that moves it to the current index (false if it was not moved), and the key
   *   of the next page; undefined at the end.
   */
  page(
    from: Readonly<Record<string, unknown>> | undefined,
    limit: number,
  ): Promise<{
    readonly moves: readonly (() => Promise<boolean>)[];
    readonly next: Readonly<Record<string, unknown>> | undefined;
  }>;
}
