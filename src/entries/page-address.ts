export function entryPagePath(id: number | string): string {
  return `/entries/${id}`;
}

/** Returns the address of the web page of an entry; undefined when no public address is configured. */
export type FindEntryPage = (id: number) => string | undefined;

/** @param publicUrl the origin at which users reach the service; undefined: none is configured */
export function entryPages(publicUrl: string | undefined): FindEntryPage {
  return (id) => (publicUrl === undefined ? undefined : `${publicUrl}${entryPagePath(id)}`);
}
