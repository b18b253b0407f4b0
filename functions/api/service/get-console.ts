import { getConsole } from "../../../lib/contract/service.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

/** The page, put here when the handlers are bundled. */
declare const CONSOLE_PAGE: string;

export const handler = endpoint(getConsole, null, async () => CONSOLE_PAGE);
