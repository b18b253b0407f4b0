import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { operations } from "../../../lib/client/operations.ts";

/** Why the console has no control for an operation. */
const reasons = {
  program:
    "programs send and read it: telemetry, files, endpoints of other products, and what monitors of the service ask",
  part: "the console asks for more at once: a list, a batch, or the item with its parts",
  person:
    "a person says it on the trace, in a label set or in a review; programs add and replace scores by their names",
  gate: "a build asks for it, with an exit code; its result is on the page of the experiment",
  rare: "done once, by who administers: a command of the documentation shows it",
  billing: "a plan of the hosted service, which has its own page",
  command: "the command line asks for it",
} as const;

/** Operations without a control, by the reason. */
const absent: Readonly<Record<keyof typeof reasons, readonly string[]>> = {
  program: [
    "createTrace",
    "createTraces",
    "createSpans",
    "updateTrace",
    "updateSpan",
    "getHealth",
    "getOpenApi",
    "getRunTemplate",
    "getRunTemplateShort",
    "listPrices",
    "listExportDays",
    "createExport",
  ],
  part: ["deleteTrace", "getDatasetItem", "listSessionRunScores", "getApiKey"],
  person: [
    "createTraceScore",
    "putTraceScore",
    "deleteTraceScore",
    "createSessionScore",
    "putSessionScore",
    "updateSessionScore",
    "deleteSessionScore",
    "compareSessionScores",
  ],
  gate: ["createExperimentRun", "evaluateGate", "approveExperiment"],
  rare: [
    "updateDataset",
    "createRepricing",
    "listRepricings",
    "createOrganization",
    "getOrganization",
    "updateOrganization",
    "deleteOrganization",
    "deleteMe",
  ],
  billing: ["listPlans", "getSubscription", "getUsage", "getBilling", "listInvoices", "openCheckout", "openPortal"],
  command: ["exchangeCliCode"],
};

/** The operations of the OpenAPI document, from which the client is generated. */
const ids = Object.keys(operations);

/** Calls of the client in the console, by operation: the files that have them. */
const callers = Map.groupBy(
  globSync("lib/console/**/*.{ts,tsx}").flatMap((file) =>
    Array.from(readFileSync(file, "utf8").matchAll(/\.(\w+)\b(?=\()/gu), ([, id = ""]) => ({ id, file })),
  ),
  ({ id }) => id,
);

test("each operation of the API has a control in the console, or a reason why it has none", () => {
  const stated = new Set(Object.values(absent).flat());
  const withoutReason = ids.filter(
    (id) => !callers.has(id) && !stated.has(id) && !/langfuse|langsmith|^export/iu.test(id),
  );
  const superfluous = [...stated].filter((id) => callers.has(id) || !ids.includes(id));

  expect(ids.length).toBeGreaterThan(150);
  expect(withoutReason).toEqual([]);
  expect(superfluous).toEqual([]);
});
