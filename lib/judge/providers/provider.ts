import type { Complete } from "./completion.ts";
import type { Embed } from "./embed.ts";

/** What can be stored for a provider; each is an SSM parameter of its own. */
export type Setting = "key" | "baseUrl";

/** Values of a provider's settings, as stored. */
export type Settings = Readonly<Partial<Record<Setting, string>>>;

/** A request before it is signed; `url` is where it goes. */
interface Unsigned {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Signs a POST with the role that this process runs under, for AWS's service of this name in a Region: the headers to send. */
export type Sign = (request: Unsigned, service: string, region: string) => Promise<Record<string, string>>;

/** What a provider's client takes from its surroundings. */
export interface Surroundings {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sign: Sign;
  /** The Region this process runs in; undefined outside of AWS. */
  readonly region: string | undefined;
}

/** A provider's client: its models are named as the provider does. */
export interface Access {
  readonly complete: Complete;
  /** The way to an embedding model; null where the provider has none. */
  readonly embed: ((model: string) => Embed) | null;
}

/** Makes a provider's client. One small file each. */
export type Connector = (settings: Settings, surroundings: Surroundings) => Access;
