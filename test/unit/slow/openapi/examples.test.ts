import { safeParse, type GenericSchema } from "valibot";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../../../lib/contract/schema/json-schema.ts";
import { openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { exampleOf } from "../../../../lib/contract/openapi/example.ts";
import { resolve, type MediaTypes } from "../../../../lib/contract/openapi/openapi.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { compiler } from "../../../support/openapi-shape.ts";

interface Body {
  readonly name: string;
  readonly schema: GenericSchema;
  readonly json: JsonSchema;
  readonly example: unknown;
}

const document = openApiDocument(routes);
const compile = compiler(document);

const bodyOf = (name: string, schema: GenericSchema | undefined, content: MediaTypes | undefined): Body[] => {
  const media = content?.["application/json"];
  if (schema === undefined || media === undefined) return [];
  return [{ name, schema, json: media.schema, example: media.example ?? exampleOf(document, media.schema) }];
};

const bodiesOf = (route: Route): Body[] => {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()];
  const success = operation?.responses[route.success];
  const reply = success && resolve(document.components.responses, success);
  return [
    ...bodyOf(`what ${route.id} takes`, route.body, operation?.requestBody?.content),
    ...bodyOf(`what ${route.id} answers`, route.reply, reply?.content),
  ];
};

const bodies = routes.flatMap(bodiesOf);

test.each(bodies)("the example of $name is accepted by its route", ({ schema, example }) => {
  const { issues = [] } = safeParse(schema, example);

  expect(issues.map(({ message, path }) => `${path?.map(({ key }) => String(key)).join(".")}: ${message}`)).toEqual([]);
});

test.each(bodies)("the example of $name is accepted by its JSON schema", ({ json, example }) => {
  const validate = compile(json);
  validate(example);

  expect(validate.errors ?? []).toEqual([]);
});

test.each(Object.entries(document.components.schemas))(
  "the examples of %s are accepted by it",
  (name, { examples }) => {
    const validate = compile({ $ref: `#/components/schemas/${name}` });
    const invalidExamples = (examples ?? [exampleOf(document, { $ref: `#/components/schemas/${name}` })]).filter(
      (example) => !validate(example),
    );

    expect(invalidExamples).toEqual([]);
  },
);
