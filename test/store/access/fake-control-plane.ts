import type { ControlPlane } from "../../../lib/gateway-keys/control-plane.ts";

/** The part of API Gateway that manages API keys. `before` is called before each call and may throw. */
export const fakeControlPlane = () => {
  const keys = new Map<string, { readonly name: string; readonly value: string; planned: boolean }>();
  const plane = { before: async (_call: keyof ControlPlane): Promise<void> => undefined };
  let createdKeys = 0;
  const idOf = (name: string): string | null => [...keys].find(([, key]) => key.name === name)?.[0] ?? null;
  const control: ControlPlane = {
    createKey: async (name, value) => {
      await plane.before("createKey");
      const existingId = idOf(name);
      if (existingId !== null) return existingId;
      const id = `id${(createdKeys += 1)}`;
      keys.set(id, { name, value, planned: false });
      return id;
    },
    addToPlan: async (id) => {
      await plane.before("addToPlan");
      const key = keys.get(id);
      if (key === undefined) throw new Error("There is no such key.");
      key.planned = true;
    },
    planKeys: async () => new Set([...keys].filter(([, { planned }]) => planned).map(([id]) => id)),
    findKey: async (name) => idOf(name),
    deleteKey: async (id) => {
      await plane.before("deleteKey");
      keys.delete(id);
    },
  };
  /** Values of the keys that are in the usage plan and hence accepted by the gateway. */
  const plannedValues = () => [...keys.values()].filter(({ planned }) => planned).map(({ value }) => value);
  return { plane, control, plannedValues, keys };
};
