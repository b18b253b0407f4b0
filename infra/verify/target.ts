const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/u;

/**
 * The address of a deployment as it is asked for: without a slash at its end.
 *
 * @throws Error in words when it is none, or one over which a key would travel in the clear.
 */
export const baseUrlOf = (given: string): string => {
  const url = URL.parse(given);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new Error(`"${given}" is no address: https://...`);
  if (url.protocol === "http:" && !loopback.test(url.hostname))
    throw new Error("Over http the key would travel in the clear: https://...");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new Error("The address ends with the stage: https://....amazonaws.com/prod");
  return url.href.replace(/\/+$/u, "");
};
