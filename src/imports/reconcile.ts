import type { CatalogItems, CatalogKind } from '../catalog/catalog.js';
import type { StoredEntry } from '../entries/entry-json.js';
import { TimeSlice } from '../kernel/time-slice.js';
import { compareArchive } from './compare-archive.js';
import { compareCatalog, compareTemplates, compareUnlisted } from './compare-catalog.js';
import { compareEntry, type Difference } from './compare-entry.js';
import { catalogKinds } from './import-catalog.js';
import type { ComparedImportSource, ImportedEntry, ImportSource, UnreadList } from './import-source.port.js';
import type { ImportStorage } from './import-storage.js';
import type { ImportedItem } from './import-store.port.js';
import { linkedVersion } from './link-entries.js';
import { LogbookCounts, type MonthCount } from './logbook-counts.js';
import { LossCounts } from './loss-counts.js';
import { Sample } from './sample.js';

export interface Reconciliation {
  readonly entriesAtSource: number;
  readonly entriesHere: number;
  /** Number that the source reports; there may be more entries. */
  readonly hitCount: number | undefined;
  readonly months: readonly MonthCount[];
  readonly differences: readonly Difference[];
  /** Number of all differences, including those that `differences` omits. */
  readonly differenceCount: number;
  /** Number of entries whose earlier versions and files were compared, too. */
  readonly sampled: number;
  /** Losses that readers can notice, counted over all entries. */
  readonly losses: LossCounts;
  readonly isEqual: boolean;
}

export interface ReconcileDeps {
  readonly storage: ImportStorage;
  readonly source: ImportSource;
  /** Number of entries that are compared with their earlier versions and the bytes of their files. */
  readonly sampleSize: number;
  readonly onProgress: (compared: number) => void;
}

/** An entry here, with the record of its import. */
interface FoundHere {
  readonly item: ImportedItem;
  readonly stored: StoredEntry;
  readonly isEditedHere: boolean;
}

const maxListed = 10_000;
const pageItems = 500;

/**
 * Compares the stored data with the source, which it reads again: the lists and templates, every entry field by field,
 * the numbers of entries by logbook and month and, for a sample, the earlier versions and the bytes of all files.
 */
export async function reconcile(deps: ReconcileDeps, signal: AbortSignal): Promise<Reconciliation> {
  return new Comparison(deps).run(signal);
}

class Comparison {
  private readonly differences: Difference[] = [];
  private differenceCount = 0;
  private readonly seen = new Set<string>();
  private readonly counts = new LogbookCounts();
  private readonly sample: Sample<ImportedEntry>;
  private entriesHere = 0;
  private readonly losses = new LossCounts();
  private readonly slice = new TimeSlice();
  private readonly deps: Omit<ReconcileDeps, 'source'> & { readonly source: ComparedImportSource };

  constructor(deps: ReconcileDeps) {
    this.deps = { ...deps, source: deps.source.rereading ?? deps.source };
    this.sample = new Sample(deps.sampleSize);
  }

  async run(signal: AbortSignal): Promise<Reconciliation> {
    const { source } = this.deps;
    const catalog = await source.readCatalog(signal);
    const kinds = source.hasDerivedCatalog ? [] : catalogKinds;
    for (const kind of kinds) await this.compareList(kind, catalog[kind] as never, signal);
    await this.compareTemplates(await source.listTemplates(signal));
    for await (const { entries } of source.walk(undefined, signal)) {
      for (const entry of entries) {
        await this.takeTurn(signal);
        await this.compare(entry);
      }
      this.deps.onProgress(this.seen.size);
    }
    await this.countHere(signal);
    for (const entry of this.sample.items) await this.compareThoroughly(entry, signal);
    const months = this.counts.list();
    for (const { logbook, month, source: there, here } of months) {
      if (there !== here) this.note({ key: `${logbook} ${month}`, field: 'entries', source: there, here });
    }
    const hitCount = await source.count(signal);
    // No other comparison finds entries that neither walk has shown.
    if (hitCount !== undefined && hitCount > this.seen.size) {
      this.note({ key: 'all', field: 'entries that the source counts', source: hitCount, here: this.seen.size });
    }
    return {
      entriesAtSource: this.seen.size,
      entriesHere: this.entriesHere,
      hitCount,
      months,
      differences: this.differences,
      differenceCount: this.differenceCount,
      sampled: this.sample.items.length,
      losses: this.losses,
      isEqual: this.differenceCount === 0,
    };
  }

  /**
   * Lets other work run. Otherwise it would wait for a whole page of entries, because the embedded storage answers
   * within one turn of the event loop.
   */
  private async takeTurn(signal: AbortSignal): Promise<void> {
    if (this.slice.isOver) await this.slice.next();
    signal.throwIfAborted();
  }

  private note(difference: Difference): void {
    this.differenceCount += 1;
    if (this.differences.length < maxListed) this.differences.push(difference);
  }

  private async compareTemplates(templates: Awaited<ReturnType<ComparedImportSource['listTemplates']>>): Promise<void> {
    if ('reason' in templates) return this.noteUnread('templates', templates);
    for await (const difference of compareTemplates(this.deps.storage.committed.templates, templates)) {
      this.note(difference);
    }
  }

  private noteUnread(field: string, { reason, isProblem }: UnreadList): void {
    if (isProblem) this.note({ key: 'all', field, source: reason, here: 'not compared' });
  }

  private async compareList<K extends CatalogKind>(
    kind: K,
    items: readonly CatalogItems[K][] | UnreadList,
    signal: AbortSignal,
  ): Promise<void> {
    if ('reason' in items) return this.noteUnread(kind, items);
    const { committed } = this.deps.storage;
    for await (const difference of compareCatalog(committed.catalog, kind, items)) this.note(difference);
    for await (const difference of compareUnlisted(committed, this.deps.source, kind, items, signal)) {
      this.note(difference);
    }
  }

  private async compare(entry: ImportedEntry): Promise<void> {
    this.seen.add(entry.key);
    this.counts.add('source', entry.current);
    this.sample.offer(entry);
    const found = await this.findHere(entry.key);
    if (!found) {
      this.note({ key: entry.key, field: 'entry', source: 'present', here: 'missing' });
      return;
    }
    const linked = {
      ...entry,
      current: await linkedVersion(this.deps.storage.committed.imports, this.deps.source.name, entry),
    };
    const differences = await compareEntry(this.deps, linked, found.stored.entry);
    for (const difference of differences) this.note(difference);
    if (differences.some(isLossHere)) await this.requestAgain(found);
    for (const difference of this.losses.add(entry)) this.note(difference);
  }

  private async findHere(key: string): Promise<FoundHere | undefined> {
    const { storage, source } = this.deps;
    const [item] = await storage.committed.imports.listKnown(source.name, 'entry', [key]);
    const stored = item && (await storage.committed.entries.find(Number(item.target)));
    return stored && { item, stored, isEditedHere: stored.revision !== item.version };
  }

  /** Counts the entries that were imported from the source. Entries that its walk does not show are looked up. */
  private async countHere(signal: AbortSignal): Promise<void> {
    const { storage, source } = this.deps;
    for (let after = ''; ; ) {
      const items = await storage.committed.imports.listAfter(source.name, 'entry', after, pageItems);
      for (const { key, target } of items) {
        await this.takeTurn(signal);
        after = key;
        if (source.isPartial && !this.seen.has(key)) continue;
        const stored = await storage.committed.entries.find(Number(target));
        if (!stored) continue;
        this.entriesHere += 1;
        this.counts.add('here', stored.entry);
        if (!this.seen.has(key)) await this.compareUnlisted(key, signal);
      }
      if (items.length < pageItems) return;
    }
  }

  private async compareUnlisted(key: string, signal: AbortSignal): Promise<void> {
    const entry = await this.deps.source.find?.(Number(key), signal);
    if (!entry) this.note({ key, field: 'entry', source: 'missing', here: 'present' });
    else if ('reason' in entry) this.note({ key, field: 'entry', source: entry.reason, here: 'present' });
    else await this.compare(entry);
  }

  private async compareThoroughly(entry: ImportedEntry, signal: AbortSignal): Promise<void> {
    const found = await this.findHere(entry.key);
    if (!found) return;
    const here = { stored: found.stored.entry, isEditedHere: found.isEditedHere };
    const differences: Difference[] = [];
    for await (const difference of compareArchive(this.deps, entry, here, signal)) {
      this.note(difference);
      if (isLossHere(difference)) differences.push(difference);
    }
    if (differences.length > 0) await this.requestAgain(found);
  }

  /**
   * Clears the digest of an entry, so that the next import requests its versions and files again. An entry that was
   * edited here keeps it, because the digest shows whether it was also edited at the source.
   */
  private async requestAgain({ item, isEditedHere }: FoundHere): Promise<void> {
    if (isEditedHere || item.digest === '') return;
    const { storage, source } = this.deps;
    await storage.write((tx) => tx.imports.putItems(source.name, 'entry', [{ ...item, digest: '' }]));
  }
}

/** Whether the difference is a version or a file that this logbook lacks. */
function isLossHere({ field, here }: Difference): boolean {
  return here === 'missing' || /(?:^|: )attachments$/.test(field);
}
