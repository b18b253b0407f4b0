/** How something that was asked of a trace ended: it was acknowledged, or nobody knows what came of it. */
interface Deed {
  readonly begun: number;
  /** When its last attempt ended; null while it has not. */
  ended: number | null;
  acknowledged: boolean;
}

/** Something of a mark's own that a client puts into a trace, found again in the trace's tags, metadata or spans. */
export interface Mark extends Deed {
  readonly mark: string;
}

/**
 * What was asked of one trace and in which order, as far as its clients can tell: from it follows what has to be there
 * and what must not be.
 */
export const traceLedger = () => {
  const [marks, deletions]: [Mark[], Deed[]] = [[], []];
  let clock = 0;
  const tick = (): number => {
    clock += 1;
    return clock;
  };
  const deed = (): Deed => ({ begun: tick(), ended: null, acknowledged: false });
  const end = (done: Deed, acknowledged: boolean): void => {
    done.ended = tick();
    done.acknowledged = acknowledged;
  };

  return {
    put: (mark: string): Mark => {
      const made = { mark, ...deed() };
      marks.push(made);
      return made;
    },
    remove: (): Deed => {
      const made = deed();
      deletions.push(made);
      return made;
    },
    end,
    knows: (mark: string): boolean => marks.some((known) => known.mark === mark),
    acknowledged: (): number => marks.filter((mark) => mark.acknowledged).length,
    /** Marks that were acknowledged, and every deletion had ended before they were asked for. */
    present: (): readonly string[] =>
      marks
        .filter(
          ({ acknowledged, begun }) => acknowledged && deletions.every(({ ended }) => ended !== null && ended < begun),
        )
        .map(({ mark }) => mark),
    /** Marks of which nothing was under way any more when an acknowledged deletion was asked for. */
    absent: (): readonly string[] =>
      marks
        .filter(({ ended }) => ended !== null && deletions.some((each) => each.acknowledged && each.begun > ended))
        .map(({ mark }) => mark),
  };
};

export type TraceLedger = ReturnType<typeof traceLedger>;
