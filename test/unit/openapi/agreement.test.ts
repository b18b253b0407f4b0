import type { APIGatewayProxyEvent } from "aws-lambda";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { parseRequest } from "../../../lib/http/parse-request.ts";
import { compiler } from "../../support/openapi-shape.ts";
import { almostValuesOf } from "./almost-values.ts";
import { valuesOf } from "./arbitrary-values.ts";

const document = openApiDocument(routes);
const compile = compiler(document);

const dependent = new Set<string>([createTraceScore.id, createSessionScore.id]);

const bodies = routes.flatMap((route) => {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()];
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  return schema === undefined ? [] : [{ name: `${route.method} ${route.path}`, route, schema }];
});

/** What some fields have to do with each other is told in words: a score's value has to suit its data type. */
const apart = bodies.filter(({ route }) => !dependent.has(route.id));

/** What the service says of a body: nothing when it takes it. */
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

/** What JSON Schema cannot say: metadata of a score have 64 KiB at most. Those of traces may have more. */
const isTooLarge = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "metadata" in value &&
  Buffer.byteLength(JSON.stringify(value.metadata) ?? "") > 60 * 1024;

test.each(apart)("$name takes what its JSON schema describes", ({ route, schema }) => {
  const validate = compile(schema);

  fc.assert(
    fc.property(valuesOf(document, schema), (value) => {
      expect(validate(value) ? [] : validate.errors).toEqual([]);
      expect(refusalOf(route, value)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

/** An item of a batch that is none is refused within the reply. */
const whole = apart.filter(({ route }) => route.id !== createTraces.id);

test.each(whole)("$name refuses what its JSON schema refuses, and nothing else", ({ route, schema }) => {
  const validate = compile(schema);
  const verdicts = new Set<boolean>();

  fc.assert(
    fc.property(almostValuesOf(document, schema), (value) => {
      fc.pre(!isTooLarge(value));
      const described = validate(value);
      verdicts.add(described);
      const refused = refusalOf(route, value);
      expect({ taken: refused.length === 0, why: described ? refused : [] }).toEqual({ taken: described, why: [] });
    }),
    { numRuns: 1000 },
  );
  expect([...verdicts].toSorted()).toEqual([false, true]);
});
