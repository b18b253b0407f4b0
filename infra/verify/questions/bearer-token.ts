import { getMe } from "../../../lib/contract/access/me.ts";
import { holds, notAsked, type Question } from "../question.ts";

export const bearerToken: Question = {
  title: "The bearer token is accepted",
  ask: async ({ user }) => {
    if (user === null) return notAsked("no --token was given");
    const { id } = await user.answer(getMe);
    return holds(`user ${id}`);
  },
};
