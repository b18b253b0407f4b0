import { getDocs } from "../../../lib/contract/openapi/documentation.ts";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { documentPage } from "../../../lib/contract/openapi/page/page.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { environmentOpenGate } from "../../../lib/wiring/gates.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

const page = documentPage(openApiDocument(routes));

/** The page for the address at which the service was reached last: nearly always it is the same. */
let latest = { serviceUrl: "", text: new FixedText("") };

export const handler = endpoint(getDocs, environmentOpenGate(), async ({ serviceUrl }) => {
  if (latest.serviceUrl !== serviceUrl) latest = { serviceUrl, text: new FixedText(page(serviceUrl)) };
  return latest.text;
});
