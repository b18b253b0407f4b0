import type { JsonSchema } from "../json-schema.ts";

/** A pointer to one of the document's components. */
interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  /** How an object is written: each of its members as a parameter of its own, `name[member]`. */
  readonly style?: "deepObject";
  readonly explode?: true;
  readonly schema: JsonSchema;
}

export interface Header {
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** A body in one media type; its example is in the schema where that has one. */
interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export type Content = Readonly<Record<string, Media>>;

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

type SecurityScheme =
  | { readonly type: "http"; readonly scheme: "bearer"; readonly bearerFormat: string; readonly description: string }
  | { readonly type: "apiKey"; readonly in: "header"; readonly name: string; readonly description: string };

interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
}

/** An OpenAPI 3.1 document, as far as this service's own goes. A type alias, so that it counts as a JSON object. */
export type OpenApiDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Components;
};

/** Points to a component. */
export const refTo = (section: keyof Components, name: string): Reference => ({
  $ref: `#/components/${section}/${name}`,
});

const isReference = (found: object): found is Reference => "$ref" in found && typeof found.$ref === "string";

/**
 * What stands at a place of a document: itself, or what it points to.
 *
 * @param section the components of its kind.
 * @throws Error for a broken pointer.
 */
export const resolve = <Found extends object>(
  section: Readonly<Record<string, Found>>,
  found: Found | Reference,
): Found => {
  if (!isReference(found)) return found;
  const target = section[found.$ref.split("/").at(-1) ?? ""];
  if (target === undefined) throw new Error(`${found.$ref} is not in the document.`);
  return target;
};
