/**
 * Returns the section of a version in the change log, without its title. Throws an error if the change log has no such
 * section or it is empty.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const own = sections.find((section) =>
    new RegExp(`^## \\[?${version.replaceAll(".", "\\.")}\\]?(?:\\s|$)`).test(section),
  );
  const notes = own?.replace(/^## .*\n/, "").trim();
  if (!notes)
    throw new Error(
      `CHANGELOG.md has no section "## [${version}]" with text; npm run release -- cut ${version} writes one`,
    );
  return `${notes}\n`;
}
