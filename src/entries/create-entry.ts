import {
  type RequestedAttachment,
  resolveAttachments,
  type Upload,
  withStoredBlobs,
} from '../attachments/attach-uploads.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import { defaultLevelName } from '../catalog/edit-catalog.js';
import { claimDraft } from '../drafts/claim-draft.js';
import type { Clock } from '../kernel/clock.js';
import type { DeviceNames } from './device-names.js';
import { chosenGroupId, type NewEntryDocument, withGroup } from './entry.js';
import { checkDraft, type EntryDraft, type PropertyDraft } from './entry-draft.js';
import type { EntryExtensions, NewEntry } from './entry-extensions.port.js';
import type { StoredEntry } from './entry-json.js';
import type { EntryStorage, EntryTransaction } from './entry-storage.js';
import { joinGroupOf } from './group-entries.js';
import { mayReadAttachment } from './readable-entries.js';
import { resolveReferences } from './references.js';
import type { Markup, RenderedText, TextRenderer } from './text-renderer.js';

export interface CreateEntry {
  readonly draft: EntryDraft;
  readonly markup: Markup;
  readonly author: Principal;
  readonly attachments: readonly RequestedAttachment[] | undefined;
  readonly uploads: readonly Upload[];
  /** Id of the author's draft that is submitted: its files are attached, and it is removed. */
  readonly draftId: string | undefined;
  /** Id of the entry that this one replies to. */
  readonly inReplyTo: number | undefined;
  /** Whether connected clients are notified. */
  readonly notify: boolean;
  /** Whether the entry records a run, to which blocks are appended. */
  readonly isRun: boolean;
}

export interface CreateEntryDeps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly texts: TextRenderer;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly extensions: EntryExtensions;
  readonly deviceNames: DeviceNames;
}

/**
 * Stores a new entry with its files, and appends it to the change feed, in one transaction.
 * @throws Fault invalid `entry.…`, `attachment.…`; conflict `attachment.id-taken`, `draft.…`; missing
 *   `draft.not-found`; forbidden `auth.logbook-closed`
 */
export async function createEntry(deps: CreateEntryDeps, request: CreateEntry): Promise<StoredEntry> {
  const { draft } = request;
  checkDraft(draft);
  const { isRun, markup } = request;
  // Blocks follow the text of a run.
  const text = await deps.texts.render(isRun ? await deps.texts.closeFence(draft.text, markup) : draft.text, markup);
  const provided = await deps.extensions.provideProperties(toNewEntry(request, text));
  const entry = await withStoredBlobs(deps, request.uploads, () =>
    deps.storage.write((tx) => insertEntry(tx, deps, request, { text, provided })),
  );
  deps.extensions.announce(entry);
  return entry;
}

async function insertEntry(
  tx: EntryTransaction,
  { clock, permissions, deviceNames }: Pick<CreateEntryDeps, 'clock' | 'permissions' | 'deviceNames'>,
  request: CreateEntry,
  { text, provided }: { readonly text: RenderedText; readonly provided: readonly PropertyDraft[] },
): Promise<StoredEntry> {
  const { draft, author, inReplyTo, notify } = request;
  const reader = { permissions, principal: author };
  const references = await resolveReferences(tx.catalog, {
    ...draft,
    properties: [...draft.properties, ...provided],
  });
  permissions.checkWriteAccess(author, references);
  const claimed = request.draftId === undefined ? [] : await claimDraft(tx, author, request.draftId);
  const files = { requested: request.attachments, uploads: request.uploads, claimed, present: [] };
  const attachments = await resolveAttachments(tx, files, (id) => mayReadAttachment(tx, reader, id));
  const nowMs = clock.nowMs();
  const chosenId = chosenGroupId(draft.properties);
  const groupId =
    inReplyTo === undefined ? chosenId : await joinGroupOf(tx, reader, inReplyTo, { nowMs, notify, chosenId });
  const stored = await tx.entries.insert(
    {
      owner: author.userName,
      ownerName: author.displayName,
      ...text,
      title: draft.title,
      level: draft.level ?? (await defaultLevelName(tx.catalog)),
      state: 'Active',
      createdDate: nowMs,
      modifyDate: null,
      modifiedBy: null,
      events: draft.events,
      ...references,
      properties: groupId === undefined ? references.properties : withGroup(references.properties, groupId),
      attachments,
      devices: deviceNames.findIn({
        title: draft.title,
        description: text.description,
        properties: references.properties,
      }),
      run: request.isRun ? { status: 'running', blocks: 0, changedDate: nowMs } : undefined,
      automatic: author.token?.isAutomatic,
    } satisfies NewEntryDocument & Record<keyof NewEntryDocument, unknown>,
    { inReplyTo },
  );
  await tx.feed.append({ kind: 'created', entryId: stored.id, revision: stored.revision, notify, atMs: nowMs });
  return stored;
}

function toNewEntry({ draft, author, inReplyTo }: CreateEntry, text: RenderedText): NewEntry {
  const { title, level, logbooks, tags, properties, events } = draft;
  return {
    owner: author.userName,
    title,
    ...text,
    level,
    logbooks: logbooks.map((name) => ({ name })),
    tags: tags.map((name) => ({ name })),
    properties,
    events,
    inReplyTo,
  };
}
