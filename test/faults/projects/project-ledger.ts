/** A time in which a project may have had a name: from when it was begun to be named so to when the next name was acknowledged. */
interface Naming {
  readonly name: string;
  readonly from: number;
  to: number;
}

interface Life {
  readonly organizationId: string;
  readonly namings: Naming[];
  /** When its deletion was acknowledged. */
  goneAt: number;
}

/** What is known of projects from outside: what was asked of them, and when that was begun and acknowledged. */
export const projectLedger = () => {
  const lives = new Map<string, Life>();
  const organizations = new Map<string, number>();

  const know = (id: string, organizationId: string, name: string): Life => {
    const life = lives.get(id) ?? {
      organizationId,
      namings: [{ name, from: Number.NEGATIVE_INFINITY, to: Infinity }],
      goneAt: Infinity,
    };
    lives.set(id, life);
    return life;
  };

  const goneAt = (id: string): number => {
    const life = lives.get(id);
    return life === undefined ? Infinity : Math.min(life.goneAt, organizations.get(life.organizationId) ?? Infinity);
  };

  return {
    know,
    goneAt,
    organizationGone: (id: string, at: number): void => void organizations.set(id, at),
    gone: (id: string, at: number): void => {
      const life = lives.get(id);
      if (life !== undefined) life.goneAt = Math.min(life.goneAt, at);
    },
    /** A renaming that is begun. @returns what ends it: when it was acknowledged, or null where the name was taken. */
    renaming: (id: string, name: string, from: number): ((at: number | null) => void) => {
      const namings = lives.get(id)?.namings ?? [];
      const [before, after] = [namings.at(-1), { name, from, to: Infinity }];
      namings.push(after);
      return (at) => {
        if (at === null) namings.splice(namings.indexOf(after), 1);
        else if (before !== undefined) before.to = at;
      };
    },
    /** Whether a project may have had a name at some time between two. */
    mayHaveHad: (id: string, name: string, from: number, to: number): boolean =>
      lives.get(id)?.namings.some((each) => each.name === name && each.from <= to && each.to >= from) === true,
    /** Those of an organization. */
    of: (organizationId: string): readonly string[] =>
      [...lives].filter(([, life]) => life.organizationId === organizationId).map(([id]) => id),
  };
};
