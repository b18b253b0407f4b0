import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { passUnless, type Check } from "../check.ts";
import { gatewayRefusal, refusalProblems, type Refusal } from "../refusals.ts";

/** The gateway's reply with the detail text of the authorizer. */
const denial = (detail: string): Refusal => ({
  ...gatewayRefusal("ACCESS_DENIED", 401, { "WWW-Authenticate": "Bearer" }),
  body: { detail },
});

const missing = denial(
  "Missing credentials. Provide Authorization: Bearer <token> (with X-Project-ID) or X-API-Key (with X-Project-Name).",
);
const unknownKey = denial("Invalid or revoked API key.");

/** Replies to a wrong token: the second for deployments without a token issuer. */
const tokenDenials = ["Invalid token.", "Bearer tokens are not accepted by this deployment."].map(denial);

export const credentials: Check = {
  title: "Requests without a credential or with a wrong credential are refused with 401 and the reason",
  run: async ({ anonymous }) => {
    const callWith = (headers: Readonly<Record<string, string>>) => anonymous.call(listTraces, { headers });
    const withoutCredential = await callWith({});
    const key = await callWith({ "X-API-Key": `sk_as_${"0".repeat(64)}`, "X-Project-Name": "verify" });
    const token = await callWith({ Authorization: "Bearer a.b.c" });
    const [firstProblems = [], ...otherProblems] = tokenDenials.map((each) =>
      refusalProblems("a wrong token", token, each),
    );
    return passUnless(
      [
        ...refusalProblems("no credential", withoutCredential, missing),
        ...refusalProblems("an unknown key", key, unknownKey),
        ...(otherProblems.some((problems) => problems.length === 0) ? [] : firstProblems),
      ],
      "none, an unknown key, a wrong token: 401 with {detail}, WWW-Authenticate and X-Request-ID",
    );
  },
};
