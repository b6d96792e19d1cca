import { randomUUID } from 'node:crypto';
import type { Attachment } from '../attachments/attachment.js';
import type { CatalogKind } from '../catalog/catalog.js';
import type { ExportDeps } from './export-storage.js';
import { listEntries } from './list-entries.js';
import { writeZip } from './zip-writer.js';

const kinds: readonly CatalogKind[] = ['levels', 'logbooks', 'tags', 'properties'];

/**
 * Writes the whole logbook into a zip: `logbook.json` describes the file, `catalog.json` has the lists,
 * `templates.ndjson` and `entries.ndjson` have one line for each item, and `attachments/` has each file once, under its
 * SHA-256.
 * @throws the reason of `signal` when it aborts; no file remains
 */
export async function writeLogbookFile(deps: ExportDeps, file: string, signal: AbortSignal): Promise<void> {
  const { committed, storeId, nowMs } = deps;
  await writeZip(file, nowMs, async (zip) => {
    const format = { format: 'logbook-export', version: 1, storeId, exportId: randomUUID(), createdDate: nowMs };
    await zip.add('logbook.json', one(`${JSON.stringify(format)}\n`));
    const catalog: Record<string, unknown[]> = {};
    for (const kind of kinds) {
      catalog[kind] = [];
      for await (const item of committed.catalog.list(kind)) catalog[kind].push(item);
    }
    await zip.add('catalog.json', one(`${JSON.stringify(catalog, null, 1)}\n`));
    await zip.add('templates.ndjson', templateLines(deps));
    const files = new Map<string, Attachment>();
    await zip.add('entries.ndjson', entryLines(deps, files, signal));
    for (const attachment of files.values()) {
      signal.throwIfAborted();
      const problem = await zip.addAttachment(`attachments/${attachment.checksum}`, deps.blobs, attachment);
      if (problem !== undefined) deps.onProblem(problem);
    }
  });
}

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}

async function* templateLines({ committed }: ExportDeps): AsyncGenerator<string> {
  for await (const { json } of committed.templates.list()) yield `${json.toString()}\n`;
}

async function* entryLines(
  deps: ExportDeps,
  files: Map<string, Attachment>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const stored of listEntries(deps, signal)) {
    const { entries } = deps.committed;
    const archived: string[] = [];
    for await (const version of entries.listArchived(stored.id)) {
      archived.unshift(version.json.toString());
      for (const file of version.entry.attachments) files.set(file.checksum, file);
    }
    for (const file of stored.entry.attachments) files.set(file.checksum, file);
    const inReplyTo = (await entries.findParent(stored.id)) ?? null;
    yield `{"entry":${stored.json.toString()},"archived":[${archived.join(',')}],"inReplyTo":${inReplyTo}}\n`;
  }
}
