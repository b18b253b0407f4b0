import type { Access } from "../route.ts";
import { type OpenApiDocument, type Operation, type Parameter, refTo } from "./openapi.ts";

/** OpenAPI security schemes of the service, by name. */
export const securitySchemes: OpenApiDocument["components"]["securitySchemes"] = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "JWT of the identity provider. On data-plane routes an API key in the same request takes precedence; other routes ignore API keys.",
  },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "API key of an organization." },
  projectId: {
    type: "apiKey",
    in: "header",
    name: "X-Project-ID",
    description: "Id of the project, required with a bearer token.",
  },
  projectName: {
    type: "apiKey",
    in: "header",
    name: "X-Project-Name",
    description: "Name of the project, required with an API key that is not limited to one.",
  },
};

/** Parameters for the headers that select a project. */
export const projectParameters: Readonly<Record<string, Parameter>> = {
  ProjectName: {
    name: "X-Project-Name",
    in: "header",
    description:
      "Name of the project, required with an API key that is not limited to one. A project that does not exist is created by the first request that names it.",
    schema: { type: "string", minLength: 1, maxLength: 255, examples: ["default"] },
  },
  ProjectId: {
    name: "X-Project-ID",
    in: "header",
    description:
      "Id of the project, required with a bearer token. The user must be a member of the project's organization.",
    schema: { type: "string", format: "uuid" },
  },
};

/** Parameter for the header that selects an organization. */
export const organizationParameter: Readonly<Record<string, Parameter>> = {
  OrganizationId: {
    name: "X-Organization-ID",
    in: "header",
    description:
      "Id of an organization of the user; the organization of the oldest membership if absent. " +
      "Ignored if the path has an organization.",
    schema: { type: "string", format: "uuid" },
  },
};

interface AccessRule {
  readonly security: Operation["security"];
  readonly parameters: Operation["parameters"];
}

const rules: Readonly<Record<Access, AccessRule>> = {
  public: { security: [], parameters: [] },
  verified: { security: [{ apiKey: [] }, { bearer: [] }], parameters: [] },
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

/** Returns the security requirements and header parameters for a type of access. */
export const accessRule = (access: Access): AccessRule => rules[access];
