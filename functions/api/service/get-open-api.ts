import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { getOpenApi } from "../../../lib/contract/openapi/documentation.ts";
import { environmentOpenGuard } from "../../../lib/wiring/access-guards.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

const build = { version: required(variables.version), commit: required(variables.commit) };
const document = new FixedText(JSON.stringify(openApiDocument(routes, build)));

export const handler = endpoint(getOpenApi, environmentOpenGuard(), async () => document);
