import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../lib/contract/schema/json-schema.ts";
import { openApiDocument } from "../../lib/contract/openapi/document.ts";
import { resolve, type OpenApiDocument, type Response } from "../../lib/contract/openapi/openapi.ts";
import { routes } from "../../lib/contract/routes.ts";

type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A received reply and the operation that returned it. */
interface DescribedReply {
  readonly method: string;
  /** Path template of the route. */
  readonly path: string;
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: ReplyHeaders;
  /** Parsed JSON or text; undefined without a body. */
  readonly body: unknown;
}

/**
 * Compiles the schemas of an OpenAPI document. Lengths are counted in code points, as the service does. Formats are
 * annotations, with patterns where they matter.
 */
export const compiler = (document: OpenApiDocument): ((schema: JsonSchema) => ValidateFunction) => {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
  });
  ajv.addVocabulary(["components"]);
  const components = { schemas: document.components.schemas };
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ ...schema, components });
    compiled.set(key, validate);
    return validate;
  };
};

const problemsIn = (validate: ValidateFunction, value: unknown, place: string): string[] =>
  validate(value) ? [] : (validate.errors ?? []).map((error) => `${place}${error.instancePath}: ${error.message}`);

/**
 * Statuses returned by the gateway independently of the operation; the document describes them by the default response.
 */
const madeByGateway = new Set([400, 414, 417, 431, 502, 504]);

const replyChecker = (document: OpenApiDocument): ((reply: DescribedReply) => string[]) => {
  const compile = compiler(document);

  const headerProblems = (response: Response, headers: ReplyHeaders): string[] =>
    Object.entries(response.headers).flatMap(([name, header]) => {
      const { schema, required } = resolve(document.components.headers, header);
      const headerValue = headers[name.toLowerCase()];
      if (headerValue === undefined) return required === true ? [`header ${name}: is missing`] : [];
      const value = schema.type === "integer" ? Number(headerValue) : headerValue;
      return problemsIn(compile(schema), value, `header ${name}`);
    });

  const bodyProblems = ({ content = {} }: Response, { headers, body }: DescribedReply): string[] => {
    const media = Object.keys(content);
    if (media.length === 0) return body === undefined ? [] : ["body: there should be none"];
    const type = String(headers["content-type"]);
    const described = content[type];
    return described === undefined
      ? [`header Content-Type: is ${type}, not ${media.join(" or ")}`]
      : problemsIn(compile(described.schema), body, "body");
  };

  return (reply) => {
    const operation = document.paths[reply.path]?.[reply.method.toLowerCase()];
    if (operation === undefined) return [`${reply.method} ${reply.path}: is not in the document`];
    const defaultResponse = madeByGateway.has(reply.status) ? operation.responses["default"] : undefined;
    const dryRun = reply.status === 200 ? operation["x-dry-run"] : undefined;
    const described = operation.responses[reply.status] ?? dryRun ?? defaultResponse;
    if (described === undefined) return [`${reply.method} ${reply.path}: may not answer ${reply.status}`];
    const response = resolve(document.components.responses, described);
    return [...headerProblems(response, reply.headers), ...bodyProblems(response, reply)];
  };
};

/** Describes the parts of a reply that the service's OpenAPI document does not allow; empty for a valid reply. */
export const undescribedParts = replyChecker(openApiDocument(routes));
