const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/u;

/**
 * Validates the base URL of a deployment and removes trailing slashes.
 *
 * @throws Error for an invalid URL, and for http to a remote host, which would send the key unencrypted
 */
export const baseUrlOf = (address: string): string => {
  const url = URL.parse(address);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new Error(`"${address}" is not a URL of the form https://...`);
  if (url.protocol === "http:" && !loopback.test(url.hostname))
    throw new Error("http would send the key unencrypted: use https://...");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new Error("The URL must end with the stage, without a query: https://....amazonaws.com/prod");
  return url.href.replace(/\/+$/u, "");
};
