import { getConsole } from "../../../lib/contract/service.ts";
import { environmentOpenGate } from "../../../lib/wiring/gates.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

/** The page, put here when the handlers are bundled. */
declare const CONSOLE_PAGE: string;

export const handler = endpoint(getConsole, environmentOpenGate(), async () => CONSOLE_PAGE);
