/** A request that changes a trace: acknowledged, or with an unknown outcome. */
interface Operation {
  readonly startedAt: number;
  /** Logical time at which the last attempt ended; null while attempts continue. */
  endedAt: number | null;
  acknowledged: boolean;
}

/** A unique text that a client puts into a trace; it appears in the trace's tags, metadata or spans. */
export interface Mark extends Operation {
  readonly mark: string;
}

/**
 * Records the requests on one trace in the order known to its clients, and derives which marks must be stored and which
 * must not.
 */
export const traceLedger = () => {
  const [marks, deletions]: [Mark[], Operation[]] = [[], []];
  let clock = 0;
  const tick = (): number => {
    clock += 1;
    return clock;
  };
  const startOperation = (): Operation => ({ startedAt: tick(), endedAt: null, acknowledged: false });
  const end = (operation: Operation, acknowledged: boolean): void => {
    operation.endedAt = tick();
    operation.acknowledged = acknowledged;
  };

  return {
    put: (mark: string): Mark => {
      const newMark = { mark, ...startOperation() };
      marks.push(newMark);
      return newMark;
    },
    remove: (): Operation => {
      const deletion = startOperation();
      deletions.push(deletion);
      return deletion;
    },
    end,
    knows: (mark: string): boolean => marks.some((existingMark) => existingMark.mark === mark),
    acknowledged: (): number => marks.filter((mark) => mark.acknowledged).length,
    /** Acknowledged marks that were requested after every deletion had ended. */
    present: (): readonly string[] =>
      marks
        .filter(
          ({ acknowledged, startedAt }) =>
            acknowledged && deletions.every(({ endedAt }) => endedAt !== null && endedAt < startedAt),
        )
        .map(({ mark }) => mark),
    /** Marks whose last attempt had ended before an acknowledged deletion was requested. */
    absent: (): readonly string[] =>
      marks
        .filter(
          ({ endedAt }) => endedAt !== null && deletions.some((each) => each.acknowledged && each.startedAt > endedAt),
        )
        .map(({ mark }) => mark),
  };
};

export type TraceLedger = ReturnType<typeof traceLedger>;
