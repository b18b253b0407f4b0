/** Returns why an environment cannot publish a version to npm, as a sentence; null if it can. */
export const releaseFault = (
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
): string | null => {
  const tag = `v${version}`;
  if (environment["GITHUB_ACTIONS"] !== "true" || !environment["ACTIONS_ID_TOKEN_REQUEST_URL"])
    return "Provenance needs a job of GitHub Actions with the permission `id-token: write`: push the tag instead.";
  if (environment["GITHUB_REF"] !== `refs/tags/${tag}`)
    return `The job runs for ${environment["GITHUB_REF"] ?? "no ref"}, not for the tag ${tag} of package.json.`;
  if (!environment["NODE_AUTH_TOKEN"]) return "There is no npm token: set the secret NPM_TOKEN of the repository.";
  return null;
};
