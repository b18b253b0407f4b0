import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { judged, type Question } from "../question.ts";
import { gatewayRefusal, misfits, type Refusal } from "../refusals.ts";

/** As the gateway passes on what the authorizer says. */
const denial = (detail: string): Refusal => ({
  ...gatewayRefusal("ACCESS_DENIED", 401, { "WWW-Authenticate": "Bearer" }),
  body: { detail },
});

const missing = denial(
  "Missing credentials. Provide Authorization: Bearer <token> (with X-Project-ID) or X-API-Key (with X-Project-Name).",
);
const unknownKey = denial("Invalid or revoked API key.");

/** A deployment without an issuer knows no tokens. */
const tokenDenials = ["Invalid token.", "Bearer tokens are not accepted by this deployment."].map(denial);

export const credentials: Question = {
  title: "No credential and a wrong one are a 401 that says why",
  ask: async ({ nobody }) => {
    const asWith = (headers: Readonly<Record<string, string>>) => nobody.call(listTraces, { headers });
    const none = await asWith({});
    const key = await asWith({ "X-API-Key": `sk_as_${"0".repeat(64)}`, "X-Project-Name": "verify" });
    const token = await asWith({ Authorization: "Bearer a.b.c" });
    const [first = [], ...others] = tokenDenials.map((each) => misfits("a wrong token", token, each));
    return judged(
      [
        ...misfits("no credential", none, missing),
        ...misfits("an unknown key", key, unknownKey),
        ...(others.some((found) => found.length === 0) ? [] : first),
      ],
      "none, an unknown key, a wrong token: 401 with {detail}, WWW-Authenticate and X-Request-ID",
    );
  },
};
