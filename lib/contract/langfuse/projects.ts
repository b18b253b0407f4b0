import * as v from "valibot";
import { uuid } from "../schema/fields.ts";
import { route } from "../route.ts";

const idAndName = { id: uuid, name: v.string() };

const reply = v.pipe(
  v.object({
    data: v.array(v.object({ ...idAndName, organization: v.object(idAndName), metadata: v.object({}) })),
  }),
  v.title("LangfuseProjects"),
  v.examples([
    {
      data: [
        {
          id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
          name: "default",
          organization: { id: "0f9d3c4e-7a51-4b0e-8c2d-1e6f5a4b3c2d", name: "Example Ltd" },
          metadata: {},
        },
      ],
    },
  ]),
);

export const listLangfuseProjects = route({
  id: "listLangfuseProjects",
  method: "GET",
  path: "/api/public/projects",
  handler: "api/langfuse/list-projects",
  summary: "Get project for Langfuse's SDKs",
  description: "Returns the project of the request, in the form that the SDKs' `auth_check` expects.",
  access: "project",
  permission: "read",
  success: 200,
  reply,
  grants: { access: { BatchGetItem: ["organization"] } },
});
