import type { ControlPlane } from "../../../lib/gateway-keys/control-plane.ts";

/** API Gateway as far as it concerns keys. `before` is called before each call and may throw. */
export const fakeControlPlane = () => {
  const keys = new Map<string, { readonly name: string; readonly value: string; planned: boolean }>();
  const plane = { before: async (_call: keyof ControlPlane): Promise<void> => undefined };
  let made = 0;
  const idOf = (name: string): string | null => [...keys].find(([, key]) => key.name === name)?.[0] ?? null;
  const control: ControlPlane = {
    createKey: async (name, value) => {
      await plane.before("createKey");
      const known = idOf(name);
      if (known !== null) return known;
      const id = `id${(made += 1)}`;
      keys.set(id, { name, value, planned: false });
      return id;
    },
    addToPlan: async (id) => {
      await plane.before("addToPlan");
      const key = keys.get(id);
      if (key === undefined) throw new Error("There is no such key.");
      key.planned = true;
    },
    findKey: async (name) => idOf(name),
    deleteKey: async (id) => {
      await plane.before("deleteKey");
      keys.delete(id);
    },
  };
  /** Values of the keys that the gateway takes. */
  const known = () => [...keys.values()].filter(({ planned }) => planned).map(({ value }) => value);
  return { plane, control, known, keys };
};
