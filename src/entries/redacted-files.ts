import type { RedactionReader } from './redaction-store.port.js';

const pageSize = 1_000;

export interface FileRedactions {
  /** Whether a file was removed from the entry. */
  readonly hasRemoved: boolean;
  /** Number of the last redaction that was read. */
  readonly newest: number;
}

/**
 * Reads whether redactions with a higher number than `after` removed any file from an entry. Redactions do not store
 * file names, so they cannot say which one.
 */
export async function readFileRedactions(
  redactions: Pick<RedactionReader, 'listRedactions'>,
  entryId: number,
  after: number,
): Promise<FileRedactions> {
  let newest = after;
  for (;;) {
    const page = await redactions.listRedactions(newest, pageSize);
    newest = page.at(-1)?.number ?? newest;
    const hasRemoved = page.some(
      (redaction) => redaction.entryId === entryId && redaction.parts.attachments.length > 0,
    );
    if (hasRemoved || page.length < pageSize) return { hasRemoved, newest };
  }
}
