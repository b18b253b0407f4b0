import { judged, type Question } from "../question.ts";
import { gatewayRefusal, misfits } from "../refusals.ts";

const refusal = gatewayRefusal("MISSING_AUTHENTICATION_TOKEN", 404);

export const unknownRoute: Question = {
  title: "A path that does not exist is a 404, with any credential",
  ask: async ({ nobody, project }) => {
    const [path, method] = ["/nowhere", "GET"];
    const none = await nobody.send({ method, path });
    const key = await project.send({ method, path });
    // The gateway takes a bearer token where there is no method for a broken signature of its own.
    const token = await nobody.send({ method, path, headers: { Authorization: "Bearer a.b.c" } });
    const slash = await project.send({ method, path: "/traces/" });
    return judged(
      [
        ...misfits("without a credential", none, refusal),
        ...misfits("with the key", key, refusal),
        ...misfits("with a bearer token", token, refusal),
        ...misfits("a slash at the end", slash, refusal),
      ],
      'without a credential, with the key, with a bearer token: 404 {"detail":"Not Found"}',
    );
  },
};
