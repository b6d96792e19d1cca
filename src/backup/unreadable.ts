const codes: ReadonlySet<unknown> = new Set(['EIO', 'EBADMSG', 'EUCLEAN', 'EISDIR', 'ENOTDIR', 'ELOOP']);

/** Whether a disk or file system cannot give back this one object: others may be intact, and are worth going on for. */
export const isUnreadable = (error: unknown): boolean => codes.has((error as NodeJS.ErrnoException).code);
