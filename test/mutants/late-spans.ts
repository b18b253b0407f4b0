import { mutantsOf, type Mutant } from "./mutant.ts";

const [spanIdFilters, merging, append, spanFilterKeys] = [
  "lib/store/traces/span-id-filters.ts",
  "lib/store/traces/pieces/merging.ts",
  "lib/store/traces/append.ts",
  "lib/domain/traces/span-filter-keys.ts",
];
const [lateSpanTests, mergeTests, lateUsageTests] = [
  "test/store/traces/late-spans.test.ts",
  "test/store/traces/merge-documents.test.ts",
  "test/unit/domain/traces/usage/late-usage.test.ts",
];

/** Mutants of late spans and of merging document pieces. */
export const lateSpans: readonly Mutant[] = [
  {
    without: "the stored span-id filter that holds the hashes moved out of the row",
    file: spanIdFilters,
    changes: [
      [
        "spanIds.filters.length - replaced.length), { id, count: hashes.size }];",
        "spanIds.filters.length - replaced.length)];",
      ],
    ],
    caughtBy: [lateSpanTests],
  },
  ...mutantsOf(merging, [mergeTests], {
    "the span-id filter of a document whose pieces were all merged": [
      "          ...spanIdUpdate.spanIds.filters,\n",
      "",
    ],
    "checking that the merged pieces are still in the row when the merge is committed": [
      "return from >= 0 && run.every(({ id }, at) => pieces[from + at]?.id === id) ? from : null;",
      "return from >= 0 ? from : 1;",
    ],
  }),
  {
    without: "document pieces that were appended during a merge",
    file: merging,
    changes: [
      ["...replacement.pieces, ...latestRow.pieces.slice(to)]", "...replacement.pieces]"],
      ["...replacement.ages, ...appendState.ages.slice(to)]", "...replacement.ages]"],
    ],
    caughtBy: [mergeTests],
  },
  ...mutantsOf(append, [lateSpanTests], {
    "the limit on the number of spans in a row": [
      "if (hasTooManySpans(newSpans.content.spanCount, ",
      "if (hasTooManySpans(0, ",
    ],
    "reading the document when the span-id filter cannot exclude a span": [
      'if (filterKeys === null) return "document";',
      'if (filterKeys === null) return "stored";',
    ],
    "reading the document of a row whose sums are those of an earlier version": [
      'if (!row.appendState.spanIds.hasUsageKeys) return "document";',
      "",
    ],
  }),
  {
    without: "the limit on the number of bytes in a row",
    file: "lib/domain/traces/append.ts",
    changes: [["bytesOf(next.content.tags) > maxTraceBytes;", "bytesOf(next.content.tags) > 2 * maxTraceBytes;"]],
    caughtBy: ["test/store/traces/changes.test.ts"],
  },
  ...mutantsOf(spanFilterKeys, [lateUsageTests], {
    "the keys of spans within usage in the span-id filter": [
      "keys.add(withUsage.has(index) ? usageKey(id) : plainKey(id));",
      "keys.add(plainKey(id));",
    ],
    "the keys of awaited parents in the span-id filter": ["(withUsage.has(index) && has(awaitedKey(id)));", "false;"],
  }),
  {
    without: "rechecking a piece when pieces were merged since it was written",
    file: "lib/store/traces/pieces/piece-writer.ts",
    changes: [
      [
        "writtenPiece.row.appendState.mergedAt === row.appendState?.mergedAt;",
        "writtenPiece.row.appendState.mergedAt !== -1;",
      ],
    ],
    caughtBy: [mergeTests],
  },
  ...mutantsOf("lib/maintenance/end-silent-traces.ts", ["test/store/traces/silence.test.ts"], {
    "the marker of a trace that ends by silence until its end is decided: it is removed first": [
      "const silence = await silenceOf(project);",
      "await markers.clear(marker);\n    const silence = await silenceOf(project);",
    ],
    "marking a trace again that has changed since it was marked to end by silence": [
      "if (due !== null) await markers.mark(project, trace, due);",
      "",
    ],
  }),
];
