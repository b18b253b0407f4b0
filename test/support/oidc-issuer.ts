import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../infra/local/host/loopback-server.ts";
import type { IssuerSettings } from "../../infra/settings/sign-in-settings.ts";
import { goodHeader, newSigningKey, publicJwk, seconds, tokenOf } from "./service/tokens.ts";

/**
 * A local OpenID provider: authorization code flow with PKCE for one public client, with a form for the user's
 * identity.
 */
export interface OidcIssuer {
  readonly url: string;
  /** Issuer setting with which the service accepts its tokens. */
  readonly setting: IssuerSettings;
  close(): Promise<void>;
}

const clientId = "assay-console";

/** Data of an authorization code until it is exchanged. */
interface Grant {
  readonly challenge: string;
  readonly redirect: string;
  readonly nonce: string;
  readonly email: string;
}

/** Form for the user's identity; the authorization request is passed along encoded, to prevent HTML injection. */
const form = (search: URLSearchParams): string =>
  `<!doctype html><html lang="en"><title>Who is it?</title><form action="/answer">` +
  `<input type="hidden" name="asked" value="${encodeURIComponent(search.toString())}">` +
  `<label>E-mail <input name="email"></label><button name="say" value="yes">Continue</button>` +
  `<button name="say" value="no">Refuse</button></form>`;

const isValidAuthorization = (parameters: URLSearchParams): boolean =>
  parameters.get("response_type") === "code" &&
  parameters.get("client_id") === clientId &&
  parameters.get("code_challenge_method") === "S256" &&
  parameters.get("code_challenge")?.length === 43 &&
  (parameters.get("scope") ?? "").split(" ").includes("openid") &&
  (parameters.get("state") ?? "") !== "" &&
  (parameters.get("nonce") ?? "") !== "";

/** Starts the provider. Codes are valid once, and only with the verifier of their challenge. */
export const startOidcIssuer = async (): Promise<OidcIssuer> => {
  const key = newSigningKey("RS256", randomUUID());
  const grants = new Map<string, Grant>();
  let url = "";

  const answer = (response: ServerResponse, status: number, body: unknown): void => {
    const headers = { "content-type": "application/json", "access-control-allow-origin": "*" };
    response.writeHead(status, headers).end(JSON.stringify(body));
  };

  const redirect = (response: ServerResponse, to: string, query: Readonly<Record<string, string>>): void => {
    const target = new URL(to);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    response.writeHead(303, { location: target.href }).end();
  };

  const decide = (search: URLSearchParams, response: ServerResponse): void => {
    const parameters = new URLSearchParams(decodeURIComponent(search.get("asked") ?? ""));
    const [to, state] = [parameters.get("redirect_uri") ?? "", parameters.get("state") ?? ""];
    if (search.get("say") === "no") return redirect(response, to, { error: "access_denied", state });
    const code = randomUUID();
    grants.set(code, {
      challenge: parameters.get("code_challenge") ?? "",
      redirect: to,
      nonce: parameters.get("nonce") ?? "",
      email: search.get("email") ?? "",
    });
    redirect(response, to, { code, state, iss: url });
  };

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const formFields = new URLSearchParams(await text(request));
    const grant = grants.get(formFields.get("code") ?? "");
    grants.delete(formFields.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(formFields.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      formFields.get("grant_type") === "authorization_code" &&
      formFields.get("client_id") === clientId &&
      formFields.get("redirect_uri") === grant?.redirect &&
      challenge === grant?.challenge;
    if (!isGood) return answer(response, 400, { error: "invalid_grant", error_description: "PKCE failed" });
    const { email, nonce } = grant;
    const claims = {
      iss: url,
      aud: clientId,
      sub: email,
      email,
      email_verified: true,
      name: email.split("@")[0],
      nonce,
      iat: seconds(),
      exp: seconds() + 3600,
    };
    answer(response, 200, {
      token_type: "Bearer",
      access_token: "opaque",
      id_token: tokenOf(goodHeader(key), claims, key),
    });
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    if (pathname === "/.well-known/openid-configuration")
      return answer(response, 200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        end_session_endpoint: `${url}/logout`,
      });
    if (pathname === "/logout" && searchParams.get("client_id") === clientId)
      return redirect(response, searchParams.get("post_logout_redirect_uri") ?? "", {});
    if (pathname === "/keys") return answer(response, 200, { keys: [publicJwk(key)] });
    if (pathname === "/authorize" && isValidAuthorization(searchParams))
      return response.writeHead(200, { "content-type": "text/html" }).end(form(searchParams));
    if (pathname === "/answer") return decide(searchParams, response);
    if (pathname === "/token" && request.method === "POST") return void exchange(request, response);
    answer(response, 404, { error: "invalid_request" });
  });
  const endpoint = await listenOnLoopback(server);
  ({ url } = endpoint);
  return {
    url,
    setting: { issuer: url, jwksUri: `${url}/keys`, audiences: [clientId], clientId },
    close: async () => {
      server.closeAllConnections();
      await endpoint.close();
    },
  };
};
