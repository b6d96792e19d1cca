/** The property by which Phoebus refers to a snapshot, with the attribute that contains the address. */
export const resourceProperty = { name: 'resource', attribute: 'file' } as const;

/** Returns the id of the save-and-restore snapshot that an address names; undefined for any other address. */
export function snapshotIdOf(address: string): string | undefined {
  return /^file:\/{1,3}([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\?app=saveandrestore$/i.exec(address.trim())?.[1];
}
