import { getConsole } from "../../../lib/contract/service.ts";
import { environmentConsoleIssuers, withIssuers } from "../../../lib/wiring/console-issuers.ts";
import { environmentOpenGate } from "../../../lib/wiring/gates.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

/** The page, put here when the handlers are bundled. */
declare const CONSOLE_PAGE: string;

const page = new FixedText(withIssuers(CONSOLE_PAGE, environmentConsoleIssuers()));

export const handler = endpoint(getConsole, environmentOpenGate(), async () => page);
