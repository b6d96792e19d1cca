import type { Attachment } from '../attachments/attachment.js';
import { counted } from '../kernel/text.js';
import { escapeHtml, pageEnd, pageStart, renderEntry } from './entry-page.js';
import type { ExportDeps } from './export-storage.js';
import { FilePlaces } from './file-places.js';
import { listEntries } from './list-entries.js';
import { writeZip } from './zip-writer.js';

/**
 * Writes pages that a browser shows without any service: one for each month, and an index of them, in a zip with the
 * files.
 * @throws the reason of `signal` when it aborts; no file remains then
 */
export async function writeHtml(deps: ExportDeps, file: string, signal: AbortSignal): Promise<void> {
  const months = await listMonths(deps, signal);
  await writeZip(file, deps.nowMs, async (zip) => {
    const places = new FilePlaces();
    await zip.add('index.html', index(months));
    for (const [month, ids] of months) await zip.add(`${month}.html`, page(deps, { month, ids }, places, signal));
    for (const [path, attachment] of places.list()) {
      signal.throwIfAborted();
      const problem = await zip.addAttachment(path, deps.blobs, attachment);
      if (problem !== undefined) deps.onProblem(problem);
    }
  });
}

/** The ids of the entries of each month, in UTC. */
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

async function* index(months: ReadonlyMap<string, readonly number[]>): AsyncGenerator<string> {
  yield `${pageStart('Logbook')}<ul>\n`;
  for (const [month, ids] of months) {
    yield `<li><a href="${month}.html">${escapeHtml(month)}</a>: ${counted(ids.length, 'entry')}</li>\n`;
  }
  yield `</ul>${pageEnd}`;
}

async function* page(
  { committed }: ExportDeps,
  { month, ids }: { readonly month: string; readonly ids: readonly number[] },
  places: FilePlaces,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `${pageStart(`Logbook, ${month}`)}<p><a href="index.html">All months</a></p>\n`;
  for (const id of ids) {
    signal.throwIfAborted();
    const stored = await committed.entries.find(id);
    const pathOf = (attachment: Attachment) => places.place(`files/${attachment.checksum.slice(0, 12)}`, attachment);
    if (stored) yield renderEntry(stored.entry, pathOf);
  }
  yield pageEnd;
}
