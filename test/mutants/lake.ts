import { mutantsOf, type Mutant } from "./mutant.ts";

const [dayTests, dueTests] = [
  ["test/store/lake/day-writer.test.ts"],
  ["test/store/lake/write-due-days.test.ts"],
] as const;

/** Mutants of the files of closed days and of their export. */
export const lake: readonly Mutant[] = [
  ...mutantsOf("lib/lake/day-writer.ts", dayTests, {
    "the minutes in which a day is closing": [
      "readAt < manifest.since + closingMilliseconds",
      "readAt < manifest.since",
    ],
    "the deletion of the files before": ["await remove(manifest.files);", ""],
    "keeping the marks that an index of scores may not have": ["at < readAt - indexLag", "at < readAt + indexLag"],
  }),
  ...mutantsOf("lib/lake/day-writer.ts", dueTests, {
    "writing a day again when a trace has expired": [" && !hasExpired", ""],
    "writing a day from its rows when a file is lost": [" && (await download(rewriting.files, before))", ""],
    "the deletion of snapshots that are old": ["writtenAt(key) < oldest", "writtenAt(key) < 0"],
  }),
  ...mutantsOf("lib/lake/day-files.ts", dueTests, {
    "leaving out what has expired": ['table === "traces" ? unexpired(previous.now)', "table === null ? unexpired(0)"],
  }),
  ...mutantsOf("lib/lake/write-due-days.ts", dueTests, {
    "leaving out small projects": ["< minTraces) return false", "< 0) return false"],
    "the wait for the end of a day": ["endOfDay(day) + endingMilliseconds <= now()", "day !== null"],
    "the snapshot for an export": ["const isSnapshot = isAsked &&", "const isSnapshot = !isAsked &&"],
    "the pass after an expiry": ["if (expiresAt !== null) await", "if (expiresAt === 0) await"],
    "looking for what a dead writer has left": ["if (isRetaken) await", "if (project === null) await"],
  }),
  ...mutantsOf("lib/store/lake/due-days.ts", dueTests, {
    "the lease of a due day": ['"SET #lease = :lease, #until = :until"', '"SET #lease = :lease, #last = :until"'],
    "the end of a writer's lease": ["until === undefined || until <= at", "until === undefined"],
    "keeping a day that is asked for while it is being written": ["{ when: ifAbsent }", "{}"],
  }),
  ...mutantsOf("lib/lake/export-days.ts", dueTests, {
    "the proof by sums": ["?.rows === stored &&", "?.rows !== undefined &&"],
    "telling of changes": ["changes: newest === manifest ? changed : 0", "changes: 0"],
  }),
];
