import { TimeSlice } from '../kernel/time-slice.js';
import type { ImportReport, Note, Subject } from './import-report.js';
import type { ImportStorage, ImportTransaction } from './import-storage.js';
import type { ImportedItem } from './import-store.port.js';

/** The notes about an item, which replace its earlier ones. */
export interface ItemNotes {
  readonly kind: Subject;
  readonly key: string;
  readonly notes: readonly Note[];
}

export const problem = (text: string): Note => ({ level: 'problem', text });
export const adapted = (text: string): Note => ({ level: 'adapted', text });

const pageItems = 500;
const keyOf = ({ kind, key }: Pick<ItemNotes, 'kind' | 'key'>) => `${kind} ${key}`;

/**
 * Stores notes with the entries, so that the report of a later run includes the notes of a run that was killed before
 * it could report them.
 */
export async function putNotes(
  { imports }: Pick<ImportTransaction, 'imports'>,
  source: string,
  items: readonly ItemNotes[],
): Promise<void> {
  if (items.length === 0) return;
  const known = new Map((await imports.listKnown(source, 'note', items.map(keyOf))).map((item) => [item.key, item]));
  const changed = items.flatMap((item): ImportedItem[] => {
    const target = JSON.stringify(item.notes);
    const key = keyOf(item);
    return target === (known.get(key)?.target ?? '[]') ? [] : [{ key, target, version: 0, digest: '' }];
  });
  if (changed.length > 0) await imports.putItems(source, 'note', changed);
}

/** Adds the stored notes about all items of a source to a report. */
export async function reportNotes({ committed }: ImportStorage, source: string, report: ImportReport): Promise<void> {
  const slice = new TimeSlice();
  for (let after = ''; ; ) {
    if (slice.isOver) await slice.next();
    const items = await committed.imports.listAfter(source, 'note', after, pageItems);
    for (const { key, target } of items) {
      after = key;
      const at = key.indexOf(' ');
      const notes = JSON.parse(target) as Note[];
      for (const note of notes) report.add(key.slice(0, at) as Subject, key.slice(at + 1), note);
    }
    if (items.length < pageItems) return;
  }
}
