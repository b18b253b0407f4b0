import type { Mutant } from "./mutant.ts";

const caughtBy = ["test/store/limits/work-of-requests.test.ts"] as const;

/** Mutants that give a request work without bound for each of its items. */
export const bounds: readonly Mutant[] = [
  {
    without: "reading a trace once for all changes of LangSmith's runs in it",
    file: "lib/handlers/langsmith/place-runs.ts",
    changes: [
      [
        "of Map.groupBy(unplaced, ({ run, place }) => assumedTrace(run, place))",
        "of unplaced.map((each) => [assumedTrace(each.run, each.place), [each]] as const)",
      ],
    ],
    caughtBy,
  },
  {
    without: "one search for the projects of all runs of a request",
    file: "lib/handlers/langsmith/item-projects.ts",
    changes: [
      [
        "const holderOf = await search(new Set(unnamed.map(traceOf)));",
        "let holderOf = await search(new Set());\n" +
          "      for (const each of unnamed) holderOf = await search(new Set([traceOf(each)]));",
      ],
    ],
    caughtBy,
  },
  {
    without: "copying each part of a form once: the run is copied for each of its parts",
    file: "lib/http/langsmith/form-batch.ts",
    changes: [
      ["    items[kind].set(id, item);", "    items[kind].set(id, { ...item, fields: new Map(item.fields) });"],
      ["    return item;", "    return items[kind].get(id) ?? item;"],
    ],
    caughtBy,
  },
  {
    without: "the maximum length of a metric of another tool",
    file: "lib/domain/metrics/imported/imported-metric.ts",
    changes: [["if (length > maxExportLength)", "if (length > maxExportLength * 1_000)"]],
    caughtBy,
  },
  {
    without: "the maximum number of values in a body",
    file: "lib/http/request-body.ts",
    changes: [["if (count.values <= maxValues) return;", "if (count.values <= maxValues * 1_000) return;"]],
    caughtBy,
  },
];
