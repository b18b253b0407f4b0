import type { APIGatewayProxyEvent } from "aws-lambda";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { createDatasetItems } from "../../../../lib/contract/datasets/items.ts";
import { putLabels, uploadLabels } from "../../../../lib/contract/labels/label-items.ts";
import { createLabelSet } from "../../../../lib/contract/labels/label-sets.ts";
import { computeTrust } from "../../../../lib/contract/labels/trust.ts";
import { evaluateGate } from "../../../../lib/contract/experiments/gates.ts";
import {
  createLangfuseDataset,
  createLangfuseDatasetItem,
  createLangfuseDatasetRunItem,
} from "../../../../lib/contract/langfuse/datasets.ts";
import { createLangfuseScores } from "../../../../lib/contract/langfuse/scores.ts";
import {
  createLangsmithRun,
  ingestLangsmithBatch,
  ingestLangsmithRuns,
  updateLangsmithRun,
} from "../../../../lib/contract/langsmith/runs.ts";
import { ingestLangfuse } from "../../../../lib/contract/langfuse/ingestion.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import { createSessionScore, putSessionScore } from "../../../../lib/contract/scores/session-scores.ts";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { createTraceScore, putTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { previewMasking } from "../../../../lib/contract/access/masking.ts";
import { createProject, updateProject } from "../../../../lib/contract/access/projects.ts";
import { Refusal } from "../../../../lib/domain/refusal.ts";
import { parseRequest } from "../../../../lib/http/parse-request.ts";
import { compiler } from "../../../support/openapi-shape.ts";
import { sample } from "../../../support/sample.ts";
import { almostValuesOf } from "../../openapi/almost-values.ts";
import { valuesOf } from "../../openapi/arbitrary-values.ts";

const document = openApiDocument(routes);
const compile = compiler(document);

/** Routes with rules that the schema only describes in words, as of dependencies between fields. */
const dependent = new Set<string>([
  // A score's value has to fit its data type.
  createTraceScore.id,
  createSessionScore.id,
  putTraceScore.id,
  putSessionScore.id,
  // There are items or promptfoo, and an item has an input or a source.
  createDatasetItems.id,
  // A scale has the fields of its type; a label is of an item or a trace; a half needs a split.
  createLabelSet.id,
  putLabels.id,
  uploadLabels.id,
  computeTrust.id,
  // A rule is of one kind, and names its metric if it is about scores.
  evaluateGate.id,
  // A path of a masking rule has a grammar, and all lists of rules together a length.
  createProject.id,
  updateProject.id,
  previewMasking.id,
  // Schemas of items are refused unless they are null: most languages of generated clients have no type for that.
  createLangfuseDataset.id,
]);

const bodies = routes.flatMap((route) => {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()];
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  return schema === undefined ? [] : [{ name: `${route.method} ${route.path}`, route, schema }];
});

const apart = bodies.filter(({ route }) => !dependent.has(route.id));

/** The service's errors about a body, empty if it is accepted. */
const refusalOf = (route: Route, body: unknown): readonly string[] => {
  const bodyOnly: Route = { ...route, params: undefined, query: undefined };
  try {
    parseRequest(bodyOnly, { body } as APIGatewayProxyEvent);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason.kind !== "invalid") throw error;
    return error.reason.violations.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
  }
};

/** True for metadata of a score over 64 KiB, a limit that JSON Schema cannot express; metadata of traces may be larger. */
const isTooLarge = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "metadata" in value &&
  Buffer.byteLength(JSON.stringify(value.metadata) ?? "") > 60 * 1024;

test.each(sample("accepted bodies", apart))(
  "$name accepts the bodies that its JSON schema accepts",
  ({ route, schema }) => {
    const validate = compile(schema);

    fc.assert(
      fc.property(valuesOf(document, schema), (value) => {
        expect(validate(value) ? [] : validate.errors).toEqual([]);
        expect(refusalOf(route, value)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  },
);

/** Routes of batches: the body is accepted, and then each item is accepted or refused by itself, as is a single score or run in its place. */
const batches = new Set<string>([
  createTraces.id,
  ingestLangfuse.id,
  createLangfuseScores.id,
  ingestLangsmithRuns.id,
  ingestLangsmithBatch.id,
]);

/** Routes that accept more than is described: SDKs of other products may send numbers and booleans as texts, and free-form data as any value. */
const lenient = new Set<string>([
  createLangfuseDatasetItem.id,
  createLangfuseDatasetRunItem.id,
  createLangsmithRun.id,
  updateLangsmithRun.id,
]);

const exact = apart.filter(({ route }) => !batches.has(route.id) && !lenient.has(route.id));

test.each(sample("refused bodies", exact))(
  "$name refuses the bodies that its JSON schema refuses, and no others",
  ({ route, schema }) => {
    const validate = compile(schema);
    const verdicts = new Set<boolean>();

    fc.assert(
      fc.property(almostValuesOf(document, schema), (value) => {
        fc.pre(!isTooLarge(value));
        const described = validate(value);
        verdicts.add(described);
        const refusals = refusalOf(route, value);
        expect({ taken: refusals.length === 0, why: described ? refusals : [] }).toEqual({ taken: described, why: [] });
      }),
      { numRuns: 1000 },
    );
    expect([...verdicts].toSorted()).toEqual([false, true]);
  },
);
