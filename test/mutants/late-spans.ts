import type { Mutant } from "./mutant.ts";

const [marks, merging, append] = [
  "lib/store/traces/known-marks.ts",
  "lib/store/traces/merging.ts",
  "lib/store/traces/append.ts",
];
const [late, tidy] = ["test/store/traces/late-spans.test.ts", "test/store/traces/tidy-documents.test.ts"];

/** Late spans, and documents whose pieces are put together. */
export const lateSpans: readonly Mutant[] = [
  {
    without: "the filter of marks that a row's newest ones have gone into",
    file: marks,
    changes: [
      ["known.filters.length - left.length), { id, count: hashes.size }];", "known.filters.length - left.length)];"],
    ],
    caughtBy: [late],
  },
  {
    without: "the filter of a document that was folded whole",
    file: merging,
    changes: [["          ...marks.known.filters,\n", ""]],
    caughtBy: [tidy],
  },
  {
    without: "what came while pieces were put together",
    file: merging,
    changes: [
      ["...place.pieces, ...at.pieces.slice(to)]", "...place.pieces]"],
      ["...place.ages, ...late.ages.slice(to)]", "...place.ages]"],
    ],
    caughtBy: [tidy],
  },
  {
    without: "the look whether a run is still there when it is committed",
    file: merging,
    changes: [
      [
        "return from >= 0 && run.every(({ id }, at) => pieces[from + at]?.id === id) ? from : null;",
        "return from >= 0 ? from : 1;",
      ],
    ],
    caughtBy: "ingest",
  },
  {
    without: "the spans that a row counts",
    file: append,
    changes: [["if (hasTooManySpans(added.content)) {", "if (hasTooManySpans({ ...added.content, spanCount: 0 })) {"]],
    caughtBy: [late],
  },
  {
    without: "the bytes that a row counts",
    file: "lib/domain/traces/append.ts",
    changes: [["bytesOf(next.content.tags) > maxBytes;", "bytesOf(next.content.tags) > 2 * maxBytes;"]],
    caughtBy: ["test/store/traces/changes.test.ts"],
  },
  {
    without: "the look at a document that may have a span",
    file: append,
    changes: [['if (seen === "perhaps") return "document";', ""]],
    caughtBy: [late],
  },
  {
    without: "the wrapped calls among the marks of a span",
    file: "lib/domain/traces/span-marks.ts",
    changes: [["if (parent !== null) marks.add(callMark(parent));", ""]],
    caughtBy: ["test/unit/domain/traces/append.test.ts"],
  },
  {
    without: "the doubt about a piece when others were put together since",
    file: "lib/store/traces/piece-in-storage.ts",
    changes: [["written.row.late.mergedAt === row.late?.mergedAt;", "written.row.late.mergedAt !== -1;"]],
    caughtBy: [tidy],
  },
];
