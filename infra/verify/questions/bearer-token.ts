import { pass, skip, type Check } from "../check.ts";

export const bearerToken: Check = {
  title: "The bearer token is accepted",
  run: async ({ user }) => {
    if (user === null) return skip("no --token is set");
    const { id } = await user.client.getMe();
    return pass(`user ${id}`);
  },
};
