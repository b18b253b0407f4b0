import type { Access } from "../route.ts";
import type { OpenApiDocument, Operation, Parameter } from "./openapi.ts";
import { refTo } from "./openapi.ts";

/** The credentials that the interface knows. */
export const securitySchemes: OpenApiDocument["components"]["securitySchemes"] = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A token of the identity provider. On data-plane routes an API key in the same request takes precedence; elsewhere it is not looked at.",
  },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "A key of an organization." },
  projectId: { type: "apiKey", in: "header", name: "X-Project-ID", description: "The project's id, with a token." },
  projectName: {
    type: "apiKey",
    in: "header",
    name: "X-Project-Name",
    description: "The project's name, with an API key.",
  },
};

/** The headers that name a project, as parameters. */
export const projectParameters: Readonly<Record<string, Parameter>> = {
  ProjectName: {
    name: "X-Project-Name",
    in: "header",
    description: "Required with an API key. The project is made when it is named for the first time.",
    schema: { type: "string", minLength: 1, maxLength: 255, examples: ["default"] },
  },
  ProjectId: {
    name: "X-Project-ID",
    in: "header",
    description: "Required with a bearer token: a project of an organization that its user belongs to.",
    schema: { type: "string", format: "uuid" },
  },
};

/** The header that names an organization, as a parameter. */
export const organizationParameter: Readonly<Record<string, Parameter>> = {
  OrganizationId: {
    name: "X-Organization-ID",
    in: "header",
    description:
      "An organization that the user belongs to; the one of the oldest membership when absent. " +
      "Not read where the path names one.",
    schema: { type: "string", format: "uuid" },
  },
};

interface AccessRule {
  readonly security: Operation["security"];
  readonly parameters: Operation["parameters"];
}

const rules: Readonly<Record<Access, AccessRule>> = {
  public: { security: [], parameters: [] },
  project: {
    security: [
      { apiKey: [], projectName: [] },
      { bearer: [], projectId: [] },
    ],
    parameters: Object.keys(projectParameters).map((name) => refTo("parameters", name)),
  },
  organization: {
    security: [{ apiKey: [] }, { bearer: [] }],
    parameters: Object.keys(organizationParameter).map((name) => refTo("parameters", name)),
  },
  user: {
    security: [{ bearer: [] }],
    parameters: Object.keys(organizationParameter).map((name) => refTo("parameters", name)),
  },
};

/** How a route's access is said in the document. */
export const accessRule = (access: Access): AccessRule => rules[access];
