import { holds, notAsked, type Question } from "../question.ts";

export const bearerToken: Question = {
  title: "The bearer token is accepted",
  ask: async ({ user }) => {
    if (user === null) return notAsked("no --token was given");
    const { id } = await user.client.getMe();
    return holds(`user ${id}`);
  },
};
