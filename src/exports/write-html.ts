import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Attachment } from '../attachments/attachment.js';
import { counted } from '../kernel/text.js';
import { ArchivePaths } from './archive-paths.js';
import { escapeHtml, pageEnd, pageStart, renderEntry } from './entry-page.js';
import type { ExportDeps } from './export-storage.js';
import { listEntries } from './list-entries.js';
import { writeFolder } from './page-folder.js';
import { writeTextFile } from './text-file.js';
import { writeZip, type ZipWriter } from './zip-writer.js';

/** Target of an export of pages. */
type PageTarget = Pick<ZipWriter, 'addAttachment'> & {
  add(name: string, content: AsyncIterable<string>): Promise<void>;
};

/** Path of the index of the months, relative to a page; and path of the pages, relative to the index. */
interface PageLinks {
  readonly toIndex: string;
  readonly toPages: string;
}

interface Site {
  /** Ids of the entries of each month. */
  readonly months: ReadonlyMap<string, readonly number[]>;
  readonly links: PageLinks;
}

/**
 * Writes pages that a browser shows without the service: one for each month, an index, and the files. If the name of
 * the file ends with `.html` or `.htm`, the file is the index, and the directory `<name>_files` next to it contains the
 * rest. A file with another name is a zip with everything.
 * @throws the reason of `signal` when it aborts; no file remains
 * @throws Error when the directory exists
 */
export async function writeHtml(deps: ExportDeps, file: string, signal: AbortSignal): Promise<void> {
  const dir = filesDirOf(file);
  if (dir !== undefined && existsSync(dir)) {
    throw new Error(`${dir} exists already. Remove it, or choose another name for the export.`);
  }
  const months = await listMonths(deps, signal);
  if (dir === undefined) {
    const links = { toIndex: 'index.html', toPages: '' };
    await writeZip(file, deps.nowMs, async (zip) => {
      await zip.add('index.html', index(months, links));
      await writePages(deps, { months, links }, zip, signal);
    });
    return;
  }
  const links = {
    toIndex: `../${encodeURIComponent(basename(file))}`,
    toPages: `${encodeURIComponent(basename(dir))}/`,
  };
  await writeFolder(dir, (folder) => writePages(deps, { months, links }, folder, signal));
  await writeTextFile(file, index(months, links));
}

/** Returns the directory next to a page; undefined for a file that becomes a zip. */
function filesDirOf(file: string): string | undefined {
  return /[.]html?$/i.test(file) ? file.replace(/[.]html?$/i, '_files') : undefined;
}

async function writePages(
  deps: ExportDeps,
  { months, links }: Site,
  target: PageTarget,
  signal: AbortSignal,
): Promise<void> {
  const paths = new ArchivePaths();
  for (const [month, ids] of months) {
    await target.add(`${month}.html`, page(deps, { month, ids, links }, paths, signal));
  }
  for (const [path, attachment] of paths.list()) {
    signal.throwIfAborted();
    const problem = await target.addAttachment(path, deps.blobs, attachment);
    if (problem !== undefined) deps.onProblem(problem);
  }
}

/** Returns the ids of the entries of each month, in UTC. */
async function listMonths(deps: ExportDeps, signal: AbortSignal): Promise<Map<string, number[]>> {
  const dated: { readonly id: number; readonly createdDate: number }[] = [];
  for await (const { id, entry } of listEntries(deps, signal)) dated.push({ id, createdDate: entry.createdDate });
  dated.sort((one, other) => one.createdDate - other.createdDate || one.id - other.id);
  const months = new Map<string, number[]>();
  for (const { id, createdDate } of dated) {
    const month = new Date(createdDate).toISOString().replace(/-\d\dT.*/, '');
    const ids = months.get(month) ?? [];
    ids.push(id);
    months.set(month, ids);
  }
  return months;
}

async function* index(months: ReadonlyMap<string, readonly number[]>, { toPages }: PageLinks): AsyncGenerator<string> {
  yield `${pageStart('Logbook')}<ul>\n`;
  for (const [month, ids] of months) {
    yield `<li><a href="${toPages}${month}.html">${escapeHtml(month)}</a>: ${counted(ids.length, 'entry')}</li>\n`;
  }
  yield `</ul>${pageEnd}`;
}

async function* page(
  { committed, linkOf }: ExportDeps,
  { month, ids, links }: { readonly month: string; readonly ids: readonly number[]; readonly links: PageLinks },
  paths: ArchivePaths,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `${pageStart(`Logbook, ${month}`)}<p><a href="${links.toIndex}">All months</a></p>\n`;
  for (const id of ids) {
    signal.throwIfAborted();
    const stored = await committed.entries.find(id);
    const pathOf = (attachment: Attachment) => paths.add(`files/${attachment.checksum.slice(0, 12)}`, attachment);
    if (stored) yield renderEntry(stored.entry, { pathOf, link: linkOf(id) });
  }
  yield pageEnd;
}
