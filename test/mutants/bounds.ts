import type { Mutant } from "./mutant.ts";

const caughtBy = ["test/store/slow/limits/work-of-requests.test.ts"] as const;

/** Mutants that give a request work without bound for each of its items. */
export const bounds: readonly Mutant[] = [
  {
    without: "the price that the judge of a retried run needs under a ceiling",
    file: "lib/handlers/runs/retry-run.ts",
    changes: [["if (isTerminal(status)) await", "if (!isTerminal(status)) await"]],
    caughtBy: ["test/api/slow/runs/judge-provider.test.ts"],
  },
  {
    without: "the price that the judge of a changed monitor needs under a ceiling",
    file: "functions/api/monitors/update-monitor.ts",
    changes: [
      ["judgedFields.some((name) => body[name] !== undefined)", "judgedFields.some((name) => body[name] === null)"],
    ],
    caughtBy: ["test/api/slow/runs/judge-provider.test.ts"],
  },
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
    caughtBy: ["test/unit/domain/metrics"],
  },
  {
    without: "the maximum number of values in a body",
    file: "lib/http/request-body.ts",
    changes: [["if (count.values <= maxValues) return;", "if (count.values <= maxValues * 1_000) return;"]],
    caughtBy: ["test/api/langsmith/forms.test.ts"],
  },
  {
    without: "the refusal of a request beyond its budget",
    file: "lib/async/request-budget.ts",
    changes: [["if (spent[kind] > max[kind])", "if (spent[kind] > max[kind] * 1e9)"]],
    caughtBy: ["test/store/limits/request-limits.test.ts"],
  },
  {
    without: "the budget of stored traces that a request unpacks",
    file: "lib/store/traces/commit.ts",
    changes: [["if (!hasBegun) checkUnpacked();", "if (hasBegun) checkUnpacked();"]],
    caughtBy,
  },
  {
    without: "counting the stored traces that a request unpacks",
    file: "lib/store/documents/body-codec.ts",
    changes: [["countUnpacked(sizeOfJson(text));", "countUnpacked(sizeOfJson(text.slice(0, 1)));"]],
    caughtBy,
  },
  {
    without: "one change for all items of a batch about one trace",
    file: "functions/api/traces/create-traces.ts",
    changes: [["if (first === undefined || others.length === 0)", "if (first === undefined || others.length < 100)"]],
    caughtBy,
  },
  {
    without: "reading the row of a trace once for all scores of a request",
    file: "lib/store/scores/creation.ts",
    changes: [
      [
        "const located = await scoredRows.get(key, () =>",
        "const located = await scoredRows.get(`${key} ${score.id}`, () =>",
      ],
    ],
    caughtBy,
  },
  {
    without: "the maximum number of values in the JSON of attributes",
    file: "lib/conventions/attributes/embedded-json-bound.ts",
    changes: [["if (values > maxValues)", "if (values > maxValues * 1_000)"]],
    caughtBy: ["test/unit/otlp/embedded-json.test.ts"],
  },
  {
    without: "the size of values in the maximum size of a trace",
    file: "lib/domain/traces/check-limits.ts",
    changes: [["sizeOfJson(JSON.stringify(trace))", "Buffer.byteLength(JSON.stringify(trace))"]],
    caughtBy: ["test/store/traces/changes.test.ts"],
  },
  {
    without: "the maximum work of comparing the turns of a trace",
    file: "lib/judge/transcript/conversation.ts",
    changes: [["this.#count >= maxComparisons", "this.#count >= maxComparisons * 1_000"]],
    caughtBy: ["test/unit/judge/transcript/conversation.test.ts"],
  },
  {
    without: "the maximum depth of the text of a Python object",
    file: "lib/conventions/payloads/python-text.ts",
    changes: [["if (depth > maxEmbeddedDepth) return null;", "void maxEmbeddedDepth;"]],
    caughtBy: ["test/unit/otlp/embedded-json.test.ts"],
  },
];
