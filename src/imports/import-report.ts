import type { ImportedKind } from './import-store.port.js';

/**
 * A sentence about an item, for the report. `problem`: data are lost, or an operator has to decide; `adapted`: the
 * import changed the item; `hidden`: the source has data that it does not show.
 */
export interface Note {
  readonly level: 'problem' | 'adapted' | 'hidden';
  readonly text: string;
}

export type Subject = Exclude<ImportedKind, 'note' | 'reserved'> | 'import';

/** Information about one item for the operator. */
export interface Remark {
  readonly kind: Subject;
  readonly key: string;
  readonly text: string;
}

export interface ImportCounts {
  /** Number of entries that the source has shown. */
  entries: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Number of entries that were left unchanged because of a problem, each named in a remark. */
  refused: number;
  /** Number of files that were received, and their size in bytes. */
  files: number;
  bytes: number;
}

/** Maximum number of items in each list of a report; the counts include further items. */
const maxListed = 10_000;

/** Report of an import: results, and items that could not be imported. */
export class ImportReport {
  readonly counts: ImportCounts = {
    entries: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: 0,
    files: 0,
    bytes: 0,
  };
  /** Items that were refused or are missing, about which an operator has to decide. */
  readonly problems: Remark[] = [];
  /** Adaptations, such as a title that was missing. */
  readonly remarks: Remark[] = [];
  /** Entries that the source leaves out on purpose. */
  readonly skipped: Remark[] = [];
  /** Items that the source has but does not show, such as some earlier versions of an entry. */
  readonly hidden: Remark[] = [];
  problemCount = 0;
  skippedCount = 0;
  remarkCount = 0;
  hiddenCount = 0;

  add(kind: Subject, key: string, { level, text }: Note): void {
    if (level === 'problem') this.problem(kind, key, text);
    else if (level === 'adapted') this.remark(kind, key, text);
    else {
      this.hiddenCount += 1;
      if (this.hidden.length < maxListed) this.hidden.push({ kind, key, text });
    }
  }

  problem(kind: Subject, key: string, text: string): void {
    this.problemCount += 1;
    if (this.problems.length < maxListed) this.problems.push({ kind, key, text });
  }

  skip(key: string, text: string): void {
    this.skippedCount += 1;
    if (this.skipped.length < maxListed) this.skipped.push({ kind: 'entry', key, text });
  }

  remark(kind: Subject, key: string, text: string): void {
    this.remarkCount += 1;
    if (this.remarks.length < maxListed) this.remarks.push({ kind, key, text });
  }
}
