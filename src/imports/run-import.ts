import type { BlobStore } from '../attachments/blob-store.port.js';
import type { DeviceNames } from '../entries/device-names.js';
import type { Clock } from '../kernel/clock.js';
import { settleAll } from '../kernel/settle-all.js';
import { TimeSlice } from '../kernel/time-slice.js';
import { maxEntryId } from './apply-entry.js';
import { digestOf } from './entry-content.js';
import { addMissingNames, addToCatalog, importCatalog, importTemplates } from './import-catalog.js';
import { reportNotes } from './import-notes.js';
import { type ImportCounts, ImportReport } from './import-report.js';
import type { ImportedEntry, ImportSource } from './import-source.port.js';
import type { ImportStorage } from './import-storage.js';
import { type LookUp, lookUpEntries } from './look-up-entries.js';
import { NamesInEntries } from './names-in-entries.js';
import { type PreparedEntry, prepareEntry } from './prepare-entry.js';
import { storeBatch } from './store-batch.js';
import { UnlistedItems } from './unlisted-items.js';

export interface ImportDeps {
  readonly storage: ImportStorage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly source: ImportSource;
  /** Maximum size of a file; larger files are left out. */
  readonly maxFileBytes: number;
  readonly deviceNames: DeviceNames;
  /** Called at least once per batch. */
  readonly onProgress: (counts: Readonly<ImportCounts>) => void;
}

/** Number of entries whose versions and files are received concurrently. */
const preparedAtOnce = 4;
/**
 * Maximum size of the files that wait for the transaction of their entries. If the run ends, the next one must receive
 * them again.
 */
const maxStagedBytes = 67_108_864;
/** Maximum number of problems of the walk that are kept for the report of a later run. */
const maxKept = 100;

/** Version of the progress. An earlier version of the program wrote links in a second walk, which must be repeated. */
const progressFormat = 2;

interface Progress {
  readonly format?: number | undefined;
  /** Position of the walk; undefined at its beginning. */
  position?: string | undefined;
  lowestId?: number | undefined;
  /** Problems of the walk in reading the source, each as a sentence. */
  problems?: string[] | undefined;
  /** End of the last complete run, in milliseconds since the epoch. */
  completedMs?: number | undefined;
}

/**
 * Imports new and changed entries of the source. If a run ends early, for whatever reason, the entries that it stored
 * stay, and the next run continues after them.
 * @throws the reason of `signal` when it aborts
 * @throws Fault unavailable `import.source-unavailable`, `import.source-refused`; invalid `import.source-invalid`;
 *   `storage.…`
 */
export async function runImport(deps: ImportDeps, signal: AbortSignal): Promise<ImportReport> {
  const { storage, source } = deps;
  const report = new ImportReport();
  const lists = { storage, report, source: source.name, unlisted: new UnlistedItems(source, report) };
  const catalog = await source.readCatalog(signal);
  await (source.hasDerivedCatalog ? addToCatalog : importCatalog)(lists, catalog, signal);
  const templates = await source.listTemplates(signal);
  if (!('reason' in templates)) await importTemplates(lists, templates);
  else if (templates.isProblem) report.problem('template', '', templates.reason);
  const run = new EntryImport({ ...deps, unlisted: lists.unlisted }, report, await readProgress(deps));
  await run.walk(signal);
  await run.lookUpMissing(signal);
  await reportNotes(storage, source.name, report);
  const state: Progress = { format: progressFormat, completedMs: deps.clock.nowMs() };
  await storage.write((tx) => tx.imports.putState(source.name, JSON.stringify(state)));
  return report;
}

async function readProgress({ storage, source }: ImportDeps): Promise<Progress> {
  const state = await storage.committed.imports.findState(source.name);
  const progress = state === undefined ? {} : (JSON.parse(state) as Progress);
  return progress.format === progressFormat ? progress : { format: progressFormat };
}

class EntryImport {
  private readonly names = new NamesInEntries();
  private readonly seenIds = new Set<number>();
  private highestId = 0;

  constructor(
    private readonly deps: ImportDeps & { readonly unlisted: UnlistedItems },
    private readonly report: ImportReport,
    private readonly progress: Progress,
  ) {}

  async walk(signal: AbortSignal): Promise<void> {
    const { progress, report } = this;
    for (const text of progress.problems ?? []) report.problem('import', '', text);
    for await (const { entries, remarks, skipped = [], position } of this.deps.source.walk(progress.position, signal)) {
      for (const remark of remarks) report.problem('import', '', remark);
      for (const { key, text } of skipped) report.skip(key, text);
      if (remarks.length > 0) progress.problems = [...(progress.problems ?? []), ...remarks].slice(0, maxKept);
      await this.take(entries, position, signal);
    }
  }

  async lookUpMissing(signal: AbortSignal): Promise<void> {
    const { source, storage } = this.deps;
    const { lowestId, position } = this.progress;
    if (!source.find || lowestId === undefined) return;
    const lookUp: LookUp = {
      find: source.find.bind(source),
      lowestId,
      highestId: this.highestId,
      listUnseen: async (ids) => {
        const unseen = ids.filter((id) => !this.seenIds.has(id));
        const known = await storage.committed.imports.listKnown(source.name, 'entry', unseen.map(String));
        const brought = new Set(known.map(({ key }) => Number(key)));
        return unseen.filter((id) => !brought.has(id));
      },
      take: (entries) => this.take(entries, position, signal),
      onProblem: (id, text) => this.report.problem(id === undefined ? 'import' : 'entry', String(id ?? ''), text),
    };
    await lookUpEntries(lookUp, signal);
  }

  private async take(
    entries: readonly ImportedEntry[],
    position: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { report } = this;
    for (const entry of entries) this.note(entry);
    await this.addNames(signal);
    report.counts.entries += entries.length;
    const wanted = await this.findChanged(entries);
    let [batch, stagedBytes]: [PreparedEntry[], number] = [[], 0];
    const slice = new TimeSlice();
    for (let at = 0; at < wanted.length; at += preparedAtOnce) {
      if (slice.isOver) await slice.next();
      const group = wanted.slice(at, at + preparedAtOnce);
      batch.push(...(await settleAll(group.map((prepare) => prepare(signal)))));
      stagedBytes += batch.slice(-group.length).reduce((sum, one) => sum + one.stagedBytes, 0);
      if (stagedBytes < maxStagedBytes) continue;
      await this.store(batch);
      [batch, stagedBytes] = [[], 0];
    }
    this.progress.position = position;
    if (batch.length > 0) await this.store(batch);
    this.deps.onProgress(report.counts);
  }

  /** Adds names before the entries that use them, so that a killed run omits none. */
  private async addNames(signal: AbortSignal): Promise<void> {
    const { storage, source, unlisted } = this.deps;
    await addMissingNames({ storage, source: source.name, unlisted }, this.names.take(), signal);
  }

  private note({ id, current }: ImportedEntry): void {
    this.names.note(current);
    if (id === undefined || id > maxEntryId) return;
    this.seenIds.add(id);
    this.highestId = Math.max(this.highestId, id);
    this.progress.lowestId = Math.min(this.progress.lowestId ?? id, id);
  }

  /** Returns functions that prepare the new and changed entries; counts the others. */
  private async findChanged(
    entries: readonly ImportedEntry[],
  ): Promise<((signal: AbortSignal) => Promise<PreparedEntry>)[]> {
    const { deps, report } = this;
    const { storage, source } = deps;
    const items = await storage.committed.imports.listKnown(
      source.name,
      'entry',
      entries.map(({ key }) => key),
    );
    const known = new Map(items.map((item) => [item.key, item]));
    const prepareDeps = { ...deps, report, source: source.name };
    const changed: ((signal: AbortSignal) => Promise<PreparedEntry>)[] = [];
    const slice = new TimeSlice();
    for (const entry of entries) {
      if (slice.isOver) await slice.next();
      const item = known.get(entry.key);
      if (item && item.digest === digestOf(entry)) report.counts.unchanged += 1;
      else changed.push((signal) => prepareEntry(prepareDeps, entry, item, signal));
    }
    return changed;
  }

  private async store(batch: readonly PreparedEntry[]): Promise<void> {
    const { deps, report, progress } = this;
    await storeBatch({ ...deps, report, source: deps.source.name }, batch, JSON.stringify(progress));
    deps.onProgress(report.counts);
  }
}
