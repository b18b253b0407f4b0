import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { hostname } from "node:os";
import type { Command } from "./command.ts";
import { keysFile, saveKey } from "./connection.ts";
import { CommandError, exitCodes } from "./failure.ts";
import { commonFlags, switchFlag } from "./flags.ts";
import { plainLine } from "./text.ts";

/** Milliseconds that a person has for the sign-in. */
const patience = 300_000;

const randomText = (): string => randomBytes(32).toString("base64url");

/** Opens a page in the browser. Where there is none, the printed address remains. */
const openBrowser = (url: string): void => {
  const programs: Readonly<Record<string, readonly string[]>> = {
    darwin: ["open"],
    win32: ["rundll32", "url.dll,FileProtocolHandler"],
  };
  const [program = "", ...args] = programs[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
};

/**
 * Waits on a loopback port for the browser's return with the code.
 *
 * @param start receives the port; called once the server listens.
 * @throws CommandError if the person declines or does not return in time.
 */
const waitForCode = async (state: string, start: (port: number) => void): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    // Another page of the browser may call this port: only the answer to this sign-in knows the state.
    if (pathname !== "/callback" || searchParams.get("state") !== state) {
      response.writeHead(404).end();
      return;
    }
    const code = searchParams.get("code");
    const text = code === null ? "The command line was not signed in." : "The command line is signed in.";
    response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
    response.end(`${text} You can close this page.`, () => {
      const reason = searchParams.get("error_description") ?? "The page sent no code.";
      if (code === null) reject(new CommandError(plainLine(reason)));
      else resolve(code);
    });
  });
  const timer = setTimeout(
    () => reject(new CommandError(`Nobody signed in within ${patience / 60_000} minutes.`)),
    patience,
  );
  server.on("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address !== null) start(address.port);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    server.closeAllConnections();
    server.close();
  }
};

/** `assay login`: gets an API key through the console's sign-in (PKCE, RFC 7636), and stores it. */
export const loginCommand = (version: string): Command => ({
  usage: "login [--url URL]",
  summary: "signs in with the browser and stores a key",
  description: `Opens the console, where you choose a project, and stores the key, which is valid for 90 days, in ${keysFile()}.`,
  flags: {
    browser: switchFlag("--no-browser only prints the address of the page."),
    ...commonFlags,
  },
  run: async ({ flags, terminal, connect }) => {
    const { url, client } = connect();
    // A service that cannot be reached has no page to sign in at.
    await client.getHealth();
    const [state, verifier] = [randomText(), randomText()];
    const code = await waitForCode(state, (port) => {
      const query = new URLSearchParams({
        port: String(port),
        state,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        label: hostname(),
        cli_version: version,
      });
      const page = `${url}/cli-login?${query.toString()}`;
      terminal.note(`Sign in at ${page}`);
      if (flags.values["browser"] !== false) openBrowser(page);
      terminal.progress("Waiting for the browser …");
    });
    const key = await client.exchangeCliCode({ body: { code, code_verifier: verifier } });
    saveKey(url, key);
    terminal.note(`Signed in to ${url}, project ${plainLine(key.project_name)}, until ${key.expires_at.slice(0, 10)}.`);
    return exitCodes.done;
  },
});
