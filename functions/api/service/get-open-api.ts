import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { getOpenApi } from "../../../lib/contract/openapi/documentation.ts";
import { environmentOpenGuard } from "../../../lib/wiring/access-guards.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

const document = new FixedText(JSON.stringify(openApiDocument(routes)));

export const handler = endpoint(getOpenApi, environmentOpenGuard(), async () => document);
