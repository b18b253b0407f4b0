/** A request that changes a trace: acknowledged, or with an unknown outcome. */
interface Operation {
  readonly startedAt: number;
  /** Logical time at which the last attempt ended; null while attempts continue. */
  endedAt: number | null;
  acknowledged: boolean;
}

/** A deletion; effective if it found a trace. */
export interface Deletion extends Operation {
  isEffective: boolean;
}

/** A unique text that a client puts into a trace; it appears in the trace's tags, metadata or spans. */
export interface Mark extends Operation {
  readonly mark: string;
  /** True if the request may begin a new incarnation of a deleted trace. */
  readonly mayRevive: boolean;
}

/**
 * Records the requests on one trace in the order known to its clients, and derives which marks must be stored and which
 * must not.
 */
export const traceLedger = () => {
  const [marks, deletions]: [Mark[], Deletion[]] = [[], []];
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
    put: (mark: string, mayRevive: boolean): Mark => {
      const newMark = { mark, mayRevive, ...startOperation() };
      marks.push(newMark);
      return newMark;
    },
    remove: (): Deletion => {
      const deletion = { ...startOperation(), isEffective: false };
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
    /** True if the trace was deleted, and no request that may revive it was under way since: nothing else brings it back. */
    isGone: (): boolean =>
      deletions.some(
        ({ isEffective, startedAt }) =>
          isEffective &&
          marks.every(({ mayRevive, endedAt }) => !mayRevive || (endedAt !== null && endedAt < startedAt)),
      ),
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
