/**
 * Period in which a project may have had a name: from the start of the renaming until the next renaming is
 * acknowledged.
 */
interface Naming {
  readonly name: string;
  readonly from: number;
  to: number;
}

interface ProjectHistory {
  readonly organizationId: string;
  readonly namings: Naming[];
  /** Epoch milliseconds at which the project's deletion was acknowledged; Infinity before. */
  deletedAt: number;
}

/** Records the names and deletions of projects as seen by clients, with the times of requests and acknowledgements. */
export const projectLedger = () => {
  const histories = new Map<string, ProjectHistory>();
  const organizations = new Map<string, number>();

  const recordProject = (id: string, organizationId: string, name: string): ProjectHistory => {
    const history = histories.get(id) ?? {
      organizationId,
      namings: [{ name, from: Number.NEGATIVE_INFINITY, to: Infinity }],
      deletedAt: Infinity,
    };
    histories.set(id, history);
    return history;
  };

  const deletedAt = (id: string): number => {
    const history = histories.get(id);
    return history === undefined
      ? Infinity
      : Math.min(history.deletedAt, organizations.get(history.organizationId) ?? Infinity);
  };

  return {
    know: recordProject,
    goneAt: deletedAt,
    organizationDeleted: (id: string, at: number): void => void organizations.set(id, at),
    projectDeleted: (id: string, at: number): void => {
      const history = histories.get(id);
      if (history !== undefined) history.deletedAt = Math.min(history.deletedAt, at);
    },
    /**
     * Records the start of a renaming.
     * @returns a function that records its end: the time of the acknowledgement, or null if the name was taken.
     */
    renaming: (id: string, name: string, from: number): ((at: number | null) => void) => {
      const namings = histories.get(id)?.namings ?? [];
      const [before, after] = [namings.at(-1), { name, from, to: Infinity }];
      namings.push(after);
      return (at) => {
        if (at === null) namings.splice(namings.indexOf(after), 1);
        else if (before !== undefined) before.to = at;
      };
    },
    /** True if a project may have had a name at some time from `from` to `to`. */
    mayHaveHadName: (id: string, name: string, from: number, to: number): boolean =>
      histories.get(id)?.namings.some((each) => each.name === name && each.from <= to && each.to >= from) === true,
    /** Ids of the recorded projects of an organization. */
    projectsOf: (organizationId: string): readonly string[] =>
      [...histories].filter(([, history]) => history.organizationId === organizationId).map(([id]) => id),
  };
};
