/** The property with which Phoebus refers to a snapshot, and its attribute with the address. */
export const resourceProperty = { name: 'resource', attribute: 'file' } as const;

/** Returns the id of the snapshot of save-and-restore that an address names; undefined: it names something else. */
export function snapshotIdOf(address: string): string | undefined {
  return /^file:\/{1,3}([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\?app=saveandrestore$/i.exec(address.trim())?.[1];
}
