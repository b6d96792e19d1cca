import { applyRedaction, type RedactionDeps } from './redact-entry.js';
import type { NewRedaction } from './redaction.js';

const pageSize = 500;

export interface RepeatedRedactions {
  /** Number of redactions that were applied. */
  readonly applied: number;
  readonly failed: readonly { readonly redaction: NewRedaction; readonly reason: string }[];
}

/**
 * Applies redactions to an earlier state of the same logbook, with their user names, reasons and times. Omits a
 * redaction that is already stored, or whose content does not exist.
 */
export async function repeatRedactions(
  deps: RedactionDeps,
  redactions: readonly NewRedaction[],
): Promise<RepeatedRedactions> {
  const stored = await readStored(deps);
  const failed: { redaction: NewRedaction; reason: string }[] = [];
  let applied = 0;
  for (const redaction of redactions) {
    if (stored.has(keyOf(redaction))) continue;
    try {
      const present = await findPresent(deps, redaction);
      if (!present) continue;
      const outcome = await applyRedaction(deps, present);
      // The outcome includes all entries that show a file; these have their own redactions in the list.
      for (const one of [redaction, ...outcome.redactions]) stored.add(keyOf(one));
      applied += outcome.redactions.length;
    } catch (error) {
      failed.push({ redaction, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { applied, failed };
}

async function readStored({ storage }: RedactionDeps): Promise<Set<string>> {
  const stored = new Set<string>();
  let after = 0;
  for (;;) {
    const page = await storage.committed.redactions.listRedactions(after, pageSize);
    for (const redaction of page) stored.add(keyOf(redaction));
    if (page.length < pageSize) return stored;
    after = page.at(-1)?.number ?? after;
  }
}

/** Returns a key of the content of a redaction, which does not depend on its number and versions. */
function keyOf({ entryId, parts, by, reason, atMs }: NewRedaction): string {
  const { title, text, properties, attachments } = parts;
  return JSON.stringify([entryId, title, text, properties, attachments, by, reason, atMs]);
}

/** Returns the redaction without the attachments that the entry does not have; undefined when nothing is left of it. */
async function findPresent({ storage }: RedactionDeps, redaction: NewRedaction): Promise<NewRedaction | undefined> {
  const { entryId, parts, by, reason, atMs } = redaction;
  if (!(await storage.committed.entries.find(entryId))) return undefined;
  const attachments: string[] = [];
  for (const id of parts.attachments) {
    for await (const showing of storage.committed.attachments.listShowing(id)) {
      if (showing.entryId !== entryId) continue;
      attachments.push(id);
      break;
    }
  }
  const { title, text, properties } = parts;
  const isAny = title || text || properties || attachments.length > 0;
  return isAny ? { entryId, parts: { title, text, properties, attachments }, by, reason, atMs } : undefined;
}
