import { connect, type SecureVersion } from "node:tls";
import { judged, notAsked, type Question } from "../question.ts";

/** How a handshake went: the version that was spoken, or why none was. */
type Handshake = { readonly spoken: string } | { readonly refused: string } | { readonly unable: string };

/** What the other side can answer a version with: an alert, or the end of the connection. */
const refusals = /^(?:ERR_SSL_.*|EPROTO|ECONNRESET)$/u;

/** Errors of this machine's own library, which then never asked. */
const ownErrors = /NO_PROTOCOLS_AVAILABLE|NO_CIPHERS_AVAILABLE/u;

/**
 * Shakes hands in one version only. Who answers is not checked here: that all other requests do. The level of security is
 * lowered, or the library would not offer an old version at all.
 */
const handshake = (host: string, port: number, version: SecureVersion, patience: number): Promise<Handshake> =>
  new Promise((resolve) => {
    const options = { host, port, servername: host, minVersion: version, maxVersion: version };
    const socket = connect({ ...options, ciphers: "DEFAULT@SECLEVEL=0", rejectUnauthorized: false });
    const end = (outcome: Handshake): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.setTimeout(patience, () => end({ unable: "no answer" }));
    socket.once("secureConnect", () => end({ spoken: socket.getProtocol() ?? "nothing" }));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code ?? error.message;
      end(refusals.test(why) && !ownErrors.test(why) ? { refused: why } : { unable: why });
    });
    socket.once("close", () => end({ refused: "closed" }));
  });

const modern = ["TLSv1.3", "TLSv1.2"] as const;
const old = ["TLSv1.1", "TLSv1"] as const;

const told = (version: string, outcome: Handshake): string =>
  "spoken" in outcome ? `${version} spoken` : `${version} ${"refused" in outcome ? "refused" : "could not be tried"}`;

export const tls: Question = {
  title: "TLS 1.2 or newer is spoken, older is refused",
  ask: async ({ baseUrl, patience }) => {
    const { protocol, hostname, port } = new URL(baseUrl);
    if (protocol !== "https:") return notAsked("the address is not https");
    const tryAll = (versions: readonly SecureVersion[]) =>
      Promise.all(
        versions.map(async (version) => ({
          version,
          outcome: await handshake(hostname, Number(port || 443), version, patience.request),
        })),
      );
    const [fresh, stale] = [await tryAll(modern), await tryAll(old)];
    const seen = [...fresh, ...stale].map(({ version, outcome }) => told(version, outcome)).join(", ");
    const wrong = [
      ...(fresh.some(({ outcome }) => "spoken" in outcome) ? [] : [seen]),
      ...stale.flatMap(({ version, outcome }) => ("spoken" in outcome ? [`${version} is spoken`] : [])),
    ];
    if (wrong.length === 0 && !stale.some(({ outcome }) => "refused" in outcome))
      return notAsked(`this machine's TLS library offers nothing older than 1.2 (${seen})`);
    return judged(wrong, seen);
  },
};
