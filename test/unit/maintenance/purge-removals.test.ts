import { expect, test } from "vitest";
import { purgeRemovalsPromptly, sweepRemovals } from "../../../lib/maintenance/purge-removals.ts";
import type { PurgeRemoval, Removal } from "../../../lib/store/scores/purge.ts";

const trace = (id: string): Removal => ({ kind: "trace", project: "p", trace: id, incarnation: "life" });
const session = (id: string): Removal => ({ kind: "session", project: "p", session: id, at: 12 });

/** Markers in memory, and a purge that records its deletions and fails for those of which `isBroken` is true. */
const world = (isBroken: (removal: Removal) => boolean) => {
  const names = new Set<string>();
  const purged: Removal[] = [];
  let position: string | null = null;
  const purge: PurgeRemoval = async (removal) => {
    if (isBroken(removal)) throw new Error("DynamoDB is away.");
    purged.push(removal);
  };
  return {
    names,
    purged,
    purge,
    pending: {
      mark: async (_project: string, name: string) => void names.add(name),
      listAfter: async (after: string, limit: number) =>
        [...names]
          .toSorted()
          .map((name) => ({ project: "p", name, token: "" }))
          .filter(({ project, name }) => `${project}#${name}` > after)
          .slice(0, limit),
      clear: async ({ name }: { readonly name: string }) => void names.delete(name),
    },
    cursor: {
      get: async () => position,
      set: async (text: string | null) => {
        position = text;
      },
    },
  };
};

test("a deletion that cannot be purged neither fails the batch nor stops the others, and the sweeper purges it", async () => {
  let isAway = true;
  const removals = [session("a#b"), trace("1"), trace("2")];
  const { names, purged, purge, pending, cursor } = world(
    (removal) => isAway && (removal.kind === "session" || removal.trace === "2"),
  );

  await purgeRemovalsPromptly(purge, pending)(removals);
  expect(purged).toEqual([trace("1")]);
  expect([...names]).toEqual(["session#12#a#b", "trace#2#life"]);
  await expect(sweepRemovals(purge, pending, cursor, 1_000)).rejects.toThrow("Deletions that could not be purged: 2");
  isAway = false;
  const report = await sweepRemovals(purge, pending, cursor, 1_000);

  expect(report).toEqual({ deletions: 2, purged: 2, left: false });
  expect(purged.slice(1)).toEqual([session("a#b"), trace("2")]);
  expect(names.size).toBe(0);
});

test("deletions that do not fit into the time of a batch are marked", async () => {
  let at = 0;
  const { names, purged, purge, pending } = world(() => false);
  const slowPurge: PurgeRemoval = async (removal) => {
    await purge(removal);
    at += 11_000;
  };

  await purgeRemovalsPromptly(
    slowPurge,
    pending,
    () => at,
  )(Array.from({ length: 11 }, (_, index) => trace(String(index))));

  expect(names).toContain("trace#10#life");
  expect([purged.length > 0, purged.length + names.size]).toEqual([true, 11]);
});

test("a session's deletion whose id is too long for a marker is purged within the batch", async () => {
  let attempts = 0;
  const long = session("\u{1F600}".repeat(255));
  const { names, purged, purge, pending } = world(() => {
    attempts += 1;
    return attempts === 1;
  });

  await purgeRemovalsPromptly(purge, pending)([long]);

  expect([names.size, purged]).toEqual([0, [long]]);
});
