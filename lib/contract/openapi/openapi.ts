import type { JsonSchema } from "../schema/json-schema.ts";

/** A reference to a component of the document. */
interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  /** Encoding of an object parameter: each member is a separate parameter, `name[member]`. */
  readonly style?: "deepObject";
  readonly explode?: true;
  readonly schema: JsonSchema;
}

export interface Header {
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** A body in one media type; `example` is absent if the schema has an example. */
interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export type MediaTypes = Readonly<Record<string, Media>>;

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header | Reference>>;
  readonly content?: MediaTypes;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: true; readonly content: MediaTypes };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /**
   * Reply, a 200, to a dry run. It is not one of `responses`: generated clients would return a union of both replies, or only this one,
   * whose status is lower than that of the created resource.
   */
  readonly "x-dry-run"?: Response;
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

/**
 * An OpenAPI 3.1 document, limited to the fields that this service uses. A type alias because an interface would not be
 * assignable to a JSON object type.
 */
export type OpenApiDocument = {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    /** Version of the interface. */
    readonly version: string;
    /** Version and commit of the software. */
    readonly "x-build"?: { readonly version: string; readonly commit: string };
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Events by kind: requests that a receiver gets. */
  readonly webhooks: Readonly<
    Record<
      string,
      {
        readonly post: Required<Pick<Operation, "summary" | "security" | "requestBody">> & {
          readonly responses: Readonly<Record<string, { readonly description: string }>>;
        };
      }
    >
  >;
  readonly components: Components;
};

/** Builds a reference to a component of the document. */
export const refTo = (section: keyof Components, name: string): Reference => ({
  $ref: `#/components/${section}/${name}`,
});

const isReference = (component: object): component is Reference =>
  "$ref" in component && typeof component.$ref === "string";

/**
 * Resolves a reference to its component; a component is returned unchanged.
 *
 * @param section the document's components of this type, by name.
 * @throws Error if the component does not exist.
 */
export const resolve = <Component extends object>(
  section: Readonly<Record<string, Component>>,
  component: Component | Reference,
): Component => {
  if (!isReference(component)) return component;
  const target = section[component.$ref.split("/").at(-1) ?? ""];
  if (target === undefined) throw new Error(`${component.$ref} is not in the document.`);
  return target;
};
