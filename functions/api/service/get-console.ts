import { getConsole } from "../../../lib/contract/service.ts";
import { environmentConsoleIssuers, withIssuers } from "../../../lib/wiring/console-issuers.ts";
import { environmentOpenGuard } from "../../../lib/wiring/access-guards.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

/** HTML of the console, inserted when the handlers are bundled. */
declare const CONSOLE_PAGE: string;

const page = new FixedText(withIssuers(CONSOLE_PAGE, environmentConsoleIssuers()));

export const handler = endpoint(getConsole, environmentOpenGuard(), async () => page);
