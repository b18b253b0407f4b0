import { connect, type SecureVersion } from "node:tls";
import { passUnless, skip, type Check } from "../check.ts";

/** Result of a TLS handshake: the negotiated version, the refusal by the server, or the local error that prevented the test. */
type Handshake = { readonly version: string } | { readonly refused: string } | { readonly unable: string };

/** Error codes of a refusal by the server: a TLS alert, or a closed connection. */
const refusals = /^(?:ERR_SSL_.*|EPROTO|ECONNRESET)$/u;

/** Error codes of the local TLS library, when no handshake was sent. */
const localErrors = /NO_PROTOCOLS_AVAILABLE|NO_CIPHERS_AVAILABLE/u;

/**
 * Performs a handshake with a single TLS version. The certificate is not checked here, as all other requests check it. The
 * security level is lowered, because the library would not offer old versions otherwise.
 */
const handshake = (host: string, port: number, version: SecureVersion, timeout: number): Promise<Handshake> =>
  new Promise((resolve) => {
    const options = { host, port, servername: host, minVersion: version, maxVersion: version };
    const socket = connect({ ...options, ciphers: "DEFAULT@SECLEVEL=0", rejectUnauthorized: false });
    const end = (outcome: Handshake): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.setTimeout(timeout, () => end({ unable: "no answer" }));
    socket.once("secureConnect", () => end({ version: socket.getProtocol() ?? "nothing" }));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const errorCode = error.code ?? error.message;
      end(refusals.test(errorCode) && !localErrors.test(errorCode) ? { refused: errorCode } : { unable: errorCode });
    });
    socket.once("close", () => end({ refused: "closed" }));
  });

const modern = ["TLSv1.3", "TLSv1.2"] as const;
const old = ["TLSv1.1", "TLSv1"] as const;

const handshakeText = (version: string, outcome: Handshake): string =>
  "version" in outcome ? `${version} accepted` : `${version} ${"refused" in outcome ? "refused" : "not tested"}`;

export const tls: Check = {
  title: "TLS 1.2 and newer are accepted, older versions are refused",
  run: async ({ baseUrl, timeouts }) => {
    const { protocol, hostname, port } = new URL(baseUrl);
    if (protocol !== "https:") return skip("the URL is not https");
    const handshakeAll = (versions: readonly SecureVersion[]) =>
      Promise.all(
        versions.map(async (version) => ({
          version,
          outcome: await handshake(hostname, Number(port || 443), version, timeouts.request),
        })),
      );
    const [modernResults, oldResults] = [await handshakeAll(modern), await handshakeAll(old)];
    const details = [...modernResults, ...oldResults]
      .map(({ version, outcome }) => handshakeText(version, outcome))
      .join(", ");
    const problems = [
      ...(modernResults.some(({ outcome }) => "version" in outcome) ? [] : [details]),
      ...oldResults.flatMap(({ version, outcome }) => ("version" in outcome ? [`${version} is accepted`] : [])),
    ];
    if (problems.length === 0 && !oldResults.some(({ outcome }) => "refused" in outcome))
      return skip(`the local TLS library offers no version older than 1.2 (${details})`);
    return passUnless(problems, details);
  },
};
