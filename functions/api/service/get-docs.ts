import { getDocs } from "../../../lib/contract/openapi/documentation.ts";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { documentPage } from "../../../lib/contract/openapi/page/page.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { environmentOpenGate } from "../../../lib/wiring/gates.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

const page = documentPage(openApiDocument(routes));

export const handler = endpoint(getDocs, environmentOpenGate(), async ({ serviceUrl }) => page(serviceUrl));
