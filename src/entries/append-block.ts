import { createHash } from 'node:crypto';
import { attachUpload, checkCount, type Upload, withStoredBlobs } from '../attachments/attach-uploads.js';
import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import type { Clock } from '../kernel/clock.js';
import type { RecordedWrite } from '../kernel/repeat-store.port.js';
import type { DeviceNames } from './device-names.js';
import { deviceLimits } from './device-options.js';
import { type Entry, isClosed, type RunState } from './entry.js';
import type { StoredEntry } from './entry-json.js';
import type { EntryStorage, EntryTransaction } from './entry-storage.js';
import type { GrowingRuns } from './growing-runs.js';
import { join, separators } from './growing-text.js';
import { mayRead } from './readable-entries.js';
import { type Block, renderBlock } from './render-block.js';
import { blockRemoved, blockTaken, checkRunSize, emptyBlock, missingBlocks, notARun, runClosed } from './run-faults.js';
import type { Markup, RenderedText, TextRenderer } from './text-renderer.js';
import { entryNotFound } from './update-entry.js';

export interface RunDeps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly texts: TextRenderer;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly deviceNames: DeviceNames;
  readonly growingRuns: GrowingRuns;
}

export interface AppendBlock {
  readonly entryId: number;
  /** Number of the block, from 1. */
  readonly sequence: number;
  readonly block: Block;
  readonly markup: Markup;
  readonly uploads: readonly Upload[];
  readonly author: Principal;
  /** Whether connected clients are notified. */
  readonly notify: boolean;
}

export interface AppendedBlock {
  readonly entryId: number;
  readonly sequence: number;
  /** Whether the block had already been appended, so that nothing was changed. */
  readonly isRepeated: boolean;
  /** Revision of the entry after the append. */
  readonly revision: number;
}

/**
 * Appends a block to a run, as an annotation, which archives nothing. Repeating a request does not append it twice. An
 * abandoned run continues.
 * @throws Fault missing `entry.not-found`; conflict `run.…`; too-large `run.full`; forbidden `auth.…`; invalid
 *   `run.empty-block`, `attachment.…`
 */
export async function appendBlock(deps: RunDeps, request: AppendBlock): Promise<AppendedBlock> {
  const { block, uploads } = request;
  if (block.text.trim() === '' && block.values.length === 0 && uploads.length === 0) throw emptyBlock();
  const text = await renderBlock(deps.texts, block, request.markup);
  const { grown, ...appended } = await withStoredBlobs(deps, uploads, () =>
    deps.storage.write(async (tx) => {
      const { stored, run } = await findRun(tx, deps, request);
      const write = recordOf(request, deps.clock.nowMs());
      const recorded = await tx.repeats.find(write.writer, write.key);
      if (recorded?.fingerprint === write.fingerprint) {
        return { ...toAppended(request, true), revision: JSON.parse(recorded.result) as number, grown: undefined };
      }
      checkSequence(request, run, recorded);
      const extended = await extend(tx, deps, { request, stored, text });
      const grown = await tx.entries.annotate(extended, stored);
      const { revision } = grown;
      await tx.repeats.put(write.writer, write.key, { ...write, result: String(revision) }, write.atMs);
      await tx.feed.append({
        kind: 'annotated',
        entryId: stored.id,
        revision,
        notify: request.notify,
        atMs: write.atMs,
      });
      return { ...toAppended(request, false), revision, grown };
    }),
  );
  if (grown) deps.growingRuns.keep(grown);
  return appended;
}

const toAppended = ({ entryId, sequence }: AppendBlock, isRepeated: boolean) => ({ entryId, sequence, isRepeated });

/** @throws Fault missing `entry.not-found`; forbidden `auth.…`; conflict `run.not-a-run` */
export async function findRun(
  tx: EntryTransaction,
  { permissions, growingRuns }: Pick<RunDeps, 'permissions' | 'growingRuns'>,
  { entryId, author }: Pick<AppendBlock, 'entryId' | 'author'>,
): Promise<{ stored: StoredEntry; run: RunState }> {
  const found = await tx.entries.find(entryId);
  const stored = found && growingRuns.recall(found);
  if (!stored || !mayRead({ permissions, principal: author }, stored)) throw entryNotFound(entryId);
  permissions.checkEdit(author, stored.entry);
  const { run } = stored.entry;
  if (!run) throw notARun(entryId);
  return { stored, run };
}

function checkSequence({ entryId, sequence }: AppendBlock, run: RunState, recorded: RecordedWrite | undefined): void {
  if (isClosed(run)) throw runClosed(entryId, run);
  // A redaction has removed the digest of the block.
  if (recorded?.fingerprint === '') throw blockRemoved(entryId, sequence);
  if (sequence <= run.blocks) throw blockTaken(entryId, run, sequence);
  if (sequence > run.blocks + 1) throw missingBlocks(entryId, run, sequence);
}

/** Returns the record of an append. Its key contains a line break, so that it cannot equal a key sent by a client. */
function recordOf({ author, entryId, sequence, block, markup, uploads }: AppendBlock, atMs: number) {
  const { scheme, userName } = author;
  const files = uploads.map(({ filename, blob }) => [filename, blob.checksum]);
  const content = JSON.stringify([block, markup, files]);
  const fingerprint = createHash('sha256').update(content).digest('base64url');
  return { writer: { scheme, userName }, key: `run\n${entryId}\n${sequence}`, fingerprint, atMs };
}

interface Extension {
  readonly request: AppendBlock;
  readonly stored: StoredEntry;
  readonly text: RenderedText;
}

async function extend(
  tx: EntryTransaction,
  { clock, deviceNames }: RunDeps,
  { request, stored: { entry, json }, text }: Extension,
): Promise<Entry> {
  const { uploads, sequence } = request;
  const addedBytes = Buffer.byteLength(JSON.stringify([text.source, text.description]));
  checkRunSize(json.byteLength + addedBytes, sequence);
  checkCount(entry.attachments.length + uploads.length);
  const added: Attachment[] = [];
  for (const upload of uploads) {
    added.push(await attachUpload(tx, upload, { id: undefined, fileMetadataDescription: undefined }));
  }
  const found = deviceNames.findIn({ title: '', description: text.description, properties: [] }) ?? [];
  const devices = [...new Set([...(entry.devices ?? []), ...found])].slice(0, deviceLimits.names);
  return {
    ...entry,
    source: join(entry.source, text.source, separators.source),
    description: join(entry.description, text.description, separators.description),
    attachments: [...entry.attachments, ...added],
    devices: devices.length > 0 ? devices : undefined,
    run: { status: 'running', blocks: sequence, changedDate: clock.nowMs() },
  };
}
