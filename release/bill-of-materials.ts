/**
 * Returns the bill of materials of the program in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/): the libraries
 * that `notices` names. It has no time and no random number, so that a release can be built again.
 */
export function billOfMaterials(version: string, notices: string): string {
  const libraries = [...notices.matchAll(/^(\S+) (\d\S*) \(([^)]+)\)$/gm)];
  const components = libraries.map(([, name = "", number = "", license = ""]) => ({
    ...{ type: "library", name, version: number, licenses: [{ license: { id: license } }] },
    purl: `pkg:npm/${name.replace("@", "%40")}@${number}`,
  }));
  const bill = {
    ...{ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 },
    metadata: { component: { type: "application", name: "elbro", version, purl: `pkg:npm/elbro@${version}` } },
    components,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}
