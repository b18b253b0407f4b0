import { mutantsOf, type Mutant } from "./mutant.ts";

const [itemTests, storeTests, sourceTests, lineTests, apiTests] = [
  ["test/store/datasets/items.test.ts"],
  ["test/store/datasets/datasets.test.ts"],
  ["test/api/datasets/sources.test.ts"],
  ["test/api/datasets/item-files.test.ts"],
  ["test/api/datasets/datasets.test.ts"],
] as const;

/** Mutants of datasets, and of what a request brings into them. */
export const datasets: readonly Mutant[] = [
  ...mutantsOf("lib/store/datasets/items.ts", itemTests, {
    "the condition on the revisions that an item's entry had when it was read": [
      'when: "r = :r"',
      'when: "(r = :r OR r <> :r)"',
    ],
    "the condition that an item is new": ["[{ put, when: ifAbsent }, { put: placeKey", "[{ put }, { put: placeKey"],
    "the condition on a dataset's number of items, which another request may have filled": ["more > 0 ?", "more < 0 ?"],
    "the condition that a dataset is not being deleted": [" AND attribute_not_exists(x)", ""],
    "the check of a whole request's room before its first commit": [
      "if (count + newItems > maxItems) throw tooMany();",
      "if (newItems > maxItems) throw tooMany(count);",
    ],
    "the items that a dataset has already in the check of its room": [
      "item !== null && revisionAt(entries.get(id) ?? { revisions: [] }) === null;",
      "item !== null && entries.get(id) !== null;",
    ],
    "the difference of two revisions whose clocks are equal": ["clock > last ? clock", "clock >= last ? clock"],
    "making a change of an item again after another writer was faster": [
      "await tryCommit(project, dataset, [changeTo(edited)], current);",
      "await change(project, dataset, [changeTo(edited)]);",
    ],
  }),
  {
    without: "writing a revision in the transaction of its entry: it is written before",
    file: "lib/store/datasets/items.ts",
    changes: [
      [
        "    if (changed.length === 0) return revisions;\n",
        "    if (changed.length === 0) return revisions;\n" +
          "    for (const each of changed.flatMap((one) => writesOf(project, dataset, one)))\n" +
          '      if ("put" in each && "d" in each.put) await stored.put(each.put);\n',
      ],
    ],
    caughtBy: itemTests,
  },
  ...mutantsOf("lib/store/datasets/erase.ts", itemTests, {
    "the mark of a dataset whose project is being deleted: requests go on adding items": [
      '      await stored.update(datasetKey(project, dataset), "SET x = :true", { values: { ":true": true } });\n',
      "",
    ],
  }),
  ...mutantsOf("lib/store/datasets/datasets.ts", itemTests, {
    "the mark of a dataset that is being deleted: requests go on adding items": [
      "if (before !== null && !before.isDeleted)",
      "if (before !== null && before.revision < 0)",
    ],
    "hiding a dataset that is being deleted": ["existing.isDeleted ? null", "existing.revision < 0 ? null"],
    "hiding a dataset that is being deleted in the list": [
      "isDeleted ? [] : [dataset]",
      "isDeleted ? [dataset] : [dataset]",
    ],
    "the places of the items of a deleted dataset": [
      '          await eraseItems(database, "monitors", itemPlaces(project, id, keys));\n',
      "",
    ],
  }),
  ...mutantsOf("lib/store/datasets/datasets.ts", storeTests, {
    "the limit of a project's datasets": ['"attribute_not_exists(n) OR n < :most"', '"n <> :most OR n = :most"'],
    "the condition that no dataset has the name of a new one": [
      "settings.name), id }, when: ifAbsent },\n        {",
      "settings.name), id } },\n        {",
    ],
    "the condition that no dataset has the new name of a changed one": [
      "newName), id }, when: ifAbsent }",
      "newName), id } }",
    ],
    "the condition on the settings that were read": [
      'change: "SET d = :d, rev = :rev",\n              when: "rev = :before"',
      'change: "SET d = :d, rev = :rev",\n              when: "attribute_exists(rev) OR rev = :before"',
    ],
  }),
  ...mutantsOf("lib/handlers/datasets/sent-items.ts", sourceTests, {
    "the size of each item before any is stored": [
      "if (itemBytes > maxItemBytes) throw",
      "if (itemBytes > Infinity) throw",
    ],
    "the size of all items of a request": ["if (bytes > maxRequestBytes) throw", "if (bytes > Infinity) throw"],
    "the refusal of an item whose trace does not exist": [
      "if (trace === undefined)\n      throw",
      "if (trace === undefined) return;\n    if (trace === null)\n      throw",
    ],
  }),
  ...mutantsOf("lib/handlers/datasets/sent-items.ts", ["test/unit/handlers/sent-items.test.ts"], {
    "the budget of stored traces that the items of a request unpack": ["    checkUnpacked();\n", ""],
    "reading once a trace that several items of a request name": [
      '(at) => items[at]?.source?.trace_id ?? ""',
      '(at) => `${items[at]?.source?.trace_id ?? ""}${" ".repeat(at)}`',
    ],
  }),
  ...mutantsOf("lib/handlers/datasets/sent-items.ts", apiTests, {
    "the refusal of two items of a request with one id": [
      "if (earlier !== undefined) throw",
      "if (earlier === -1) throw",
    ],
  }),
  ...mutantsOf("lib/http/item-lines.ts", lineTests, {
    "the line of an item in the place of a refusal": [
      'loc: line === undefined ? loc : ["body", "line", line, ...rest]',
      'loc: line === undefined || rest ? loc : ["body", "line", line]',
    ],
    "empty lines, which count in the number of a line": [
      'text.split("\\n").map((json, at)',
      'text.split("\\n").filter((json) => json.trim() !== "").map((json, at)',
    ],
    "parsing each line by itself": [
      "  refuseFlaws(filled.values().flatMap(jsonFlaw).take(maxViolations).toArray());\n",
      "",
    ],
    "the refusal of a row whose cells are not as many as the columns": [
      "    refuseFlaws(uneven.map((row) => flawOf(row.line, count(row))));\n",
      "",
    ],
    "the refusal of an unknown column": ["...unknown, ...repeated", "...unknown.slice(99), ...repeated"],
  }),
  ...mutantsOf("lib/http/fitting-page.ts", lineTests, {
    "the bytes of a page": ["if (size > most && count > 0) break;", "if (size > Infinity && count > 0) break;"],
  }),
  ...mutantsOf("lib/handlers/datasets/read.ts", lineTests, {
    "the escapes of a page's text": ["escapedBytes(line(item))", "0 * escapedBytes(line(item))"],
  }),
];
