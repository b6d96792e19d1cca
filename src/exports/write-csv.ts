import { wholeTextOf } from '../entries/earlier-description.js';
import type { Entry } from '../entries/entry.js';
import type { FindEntryPage } from '../entries/page-address.js';
import type { ExportDeps } from './export-storage.js';
import { listEntries } from './list-entries.js';
import { writeTextFile } from './text-file.js';

type Column = readonly [string, (entry: Entry, linkOf: FindEntryPage) => string];

const columns: readonly Column[] = [
  ['id', ({ id }) => String(id)],
  ['created', ({ createdDate }) => toTime(createdDate)],
  ['modified', ({ modifyDate }) => (modifyDate === null ? '' : toTime(modifyDate))],
  ['owner', ({ owner }) => owner],
  ['modified by', ({ modifiedBy }) => modifiedBy ?? ''],
  ['level', ({ level }) => level],
  ['logbooks', ({ logbooks }) => namesOf(logbooks)],
  ['tags', ({ tags }) => namesOf(tags)],
  ['title', ({ title }) => title],
  ['text', wholeTextOf],
  ['attachments', ({ attachments }) => attachments.map(({ filename }) => filename).join('; ')],
  ['link', ({ id }, linkOf) => linkOf(id) ?? ''],
];

/**
 * Writes a table for a spreadsheet: one line for each entry, in its current version.
 * @throws the reason of `signal` when it aborts; no file remains
 */
export async function writeCsv(deps: ExportDeps, file: string, signal: AbortSignal): Promise<void> {
  await writeTextFile(file, lines(deps, signal));
}

async function* lines(deps: ExportDeps, signal: AbortSignal): AsyncGenerator<string> {
  // Spreadsheets do not recognise UTF-8 without a byte order mark.
  yield `\ufeff${columns.map(([name]) => toCell(name)).join(',')}\r\n`;
  for await (const { entry } of listEntries(deps, signal)) {
    yield csvLine(entry, deps.linkOf);
  }
}

export function csvLine(entry: Entry, linkOf: FindEntryPage): string {
  return `${columns.map(([, read]) => toCell(read(entry, linkOf))).join(',')}\r\n`;
}

/** Encodes a value as a cell. An apostrophe keeps spreadsheets from running a value as a formula. */
export function toCell(value: string): string {
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

const toTime = (ms: number) => new Date(ms).toISOString();
const namesOf = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name).join('; ');
