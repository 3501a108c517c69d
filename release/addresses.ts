/** Addresses under which elbro is published. All come from package.json; documents, images and the app name no other. */
import manifest from "../package.json" with { type: "json" };

export interface Addresses {
  /** Sources, such as `https://github.com/owner/elbro`. */
  readonly repository: string;
  readonly homepage: string;
  /** Image, without a version. */
  readonly image: string;
  /** What the app store of Home Assistant takes. Without the branch it would read the sources. */
  readonly appStore: string;
}

/** Branch with the app, which the release workflow writes. */
const APP_BRANCH = "home-assistant";

/**
 * Returns the addresses; null while `repository` is empty, because nothing is published. Throws if it is not an address
 * on GitHub, where the workflows publish.
 */
export function addressesOf({ repository, homepage }: Readonly<Record<"repository" | "homepage", string>> = manifest) {
  if (repository === "") return null;
  const name = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)$/.exec(repository)?.[1];
  if (name === undefined)
    throw new Error(`repository in package.json is "${repository}", not https://github.com/owner/name`);
  const addresses: Addresses = {
    repository,
    homepage: homepage || repository,
    image: `ghcr.io/${name.toLowerCase()}`,
    appStore: `${repository}#${APP_BRANCH}`,
  };
  return addresses;
}
