import { passUnless, type Check } from "../check.ts";
import { gatewayRefusal, refusalProblems } from "../refusals.ts";

const refusal = gatewayRefusal("MISSING_AUTHENTICATION_TOKEN", 404);

export const unknownRoute: Check = {
  title: "An unknown path answers 404, with any credential",
  run: async ({ anonymous, project }) => {
    const [path, method] = ["/nowhere", "GET"];
    const withoutCredential = await anonymous.send({ method, path });
    const key = await project.send({ method, path });
    // On an unknown path, API Gateway treats a bearer token as a malformed AWS signature.
    const token = await anonymous.send({ method, path, headers: { Authorization: "Bearer a.b.c" } });
    const withTrailingSlash = await project.send({ method, path: "/traces/" });
    return passUnless(
      [
        ...refusalProblems("without a credential", withoutCredential, refusal),
        ...refusalProblems("with the key", key, refusal),
        ...refusalProblems("with a bearer token", token, refusal),
        ...refusalProblems("a slash at the end", withTrailingSlash, refusal),
      ],
      'without a credential, with the key, with a bearer token: 404 {"detail":"Not Found"}',
    );
  },
};
