/** `npm run client`: writes the parts of the typed client that follow from the table of routes. */
import { writeFile } from "node:fs/promises";
import { openApiDocument } from "../../lib/contract/openapi/document.ts";
import { routes } from "../../lib/contract/routes.ts";
import { clientFiles } from "./render.ts";

for (const [name, text] of await clientFiles(openApiDocument(routes), routes)) {
  await writeFile(new URL(`../../lib/client/${name}`, import.meta.url), text);
}
