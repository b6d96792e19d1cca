import {
  attachUpload,
  checkCount,
  type RequestedAttachment,
  resolveAttachments,
  type Upload,
  withStoredBlobs,
} from '../attachments/attach-uploads.js';
import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import type { Permissions } from '../auth/permissions.js';
import type { Principal } from '../auth/principal.js';
import { claimDraft } from '../drafts/claim-draft.js';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import type { DeviceNames } from './device-names.js';
import { chooseText, renderEditedText } from './edited-text.js';
import { type Entry, groupIdOf, withGroup } from './entry.js';
import { checkDraft, type EntryDraft } from './entry-draft.js';
import type { StoredEntry } from './entry-json.js';
import type { EntryStorage, EntryTransaction } from './entry-storage.js';
import { findReadable, mayReadAttachment, type Reader } from './readable-entries.js';
import { resolveReferences } from './references.js';
import { withStoredSamples } from './stored-samples.js';
import type { Markup, TextRenderer } from './text-renderer.js';
import { findBase, withUnseenFiles, withUnseenText } from './unseen-blocks.js';

interface Deps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly texts: TextRenderer;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly deviceNames: DeviceNames;
}

/** Returns true when the client expects this revision. */
export type RevisionCheck = (revision: number) => boolean;

interface Edit {
  readonly entryId: number;
  readonly editor: Principal;
  /** Undefined: the client does not say which revision it read. */
  readonly expects: RevisionCheck | undefined;
  /** Whether connected clients are notified. */
  readonly notify: boolean;
}

export interface UpdateEntry extends Edit {
  readonly draft: EntryDraft;
  readonly markup: Markup;
  /** The complete list after the edit; undefined: unchanged. */
  readonly attachments: readonly RequestedAttachment[] | undefined;
  readonly uploads: readonly Upload[];
  /** Id of the editor's draft that is submitted: its files are attached, and it is removed. */
  readonly draftId: string | undefined;
}

/**
 * Replaces everything in the entry except its owner, creation date, events, group and run state, and archives the
 * previous version. Keeps the blocks that were appended to a run since the client read it.
 * @throws Fault as `edit`; invalid `entry.…`, `attachment.…`; conflict `attachment.id-taken`, `draft.…`; missing
 *   `draft.not-found`
 */
export async function updateEntry(deps: Deps, request: UpdateEntry): Promise<StoredEntry> {
  const { draft, draftId, editor } = request;
  checkDraft(draft);
  const text = await renderEditedText(deps.texts, draft, request.markup);
  return withStoredBlobs(deps, request.uploads, () =>
    edit(deps, request, async (tx, stored) => {
      const references = await resolveReferences(tx.catalog, draft, stored);
      deps.permissions.checkWriteAccess(request.editor, references);
      const properties = withStoredSamples(references.properties, stored.properties);
      const groupId = groupIdOf(stored);
      const claimed = draftId === undefined ? [] : await claimDraft(tx, editor, draftId);
      const { attachments: requested, uploads } = request;
      const files = { requested, uploads, claimed, present: stored.attachments };
      const { title } = draft;
      const base = request.expects ? undefined : await findBase(tx.entries, stored, request);
      const chosen = withUnseenText(chooseText(draft, text, { ...stored, ...base?.text }), base);
      return {
        ...stored,
        ...chosen,
        title,
        level: draft.level ?? stored.level,
        ...references,
        properties: groupId === undefined ? properties : withGroup(properties, groupId),
        attachments: withUnseenFiles(
          await resolveAttachments(tx, files, (attachmentId) =>
            mayReadAttachment(tx, readerOf(deps, request), attachmentId),
          ),
          base,
        ),
        devices: deps.deviceNames.findIn({ title, description: chosen.description, properties: references.properties }),
      };
    }),
  );
}

export interface AddAttachment extends Edit {
  readonly upload: Upload;
  readonly attachmentId: string | undefined;
  readonly fileMetadataDescription: string | undefined;
}

/** Adds one attachment after the existing ones, and archives the previous version. @throws Fault as `edit` */
export async function addAttachment(deps: Deps, request: AddAttachment): Promise<StoredEntry> {
  return withStoredBlobs(deps, [request.upload], () =>
    edit(deps, request, async (tx, stored) => {
      checkCount(stored.attachments.length + 1);
      const added: Attachment = await attachUpload(tx, request.upload, {
        id: request.attachmentId,
        fileMetadataDescription: request.fileMetadataDescription,
      });
      return { ...stored, attachments: [...stored.attachments, added] };
    }),
  );
}

function readerOf({ permissions }: Deps, { editor }: Pick<Edit, 'editor'>): Reader {
  return { permissions, principal: editor };
}

/**
 * Replaces the entry with the result of `change` in one transaction, and appends the edit to the change feed.
 * @throws Fault missing `entry.not-found`; forbidden `auth.…`
 * @throws RevisionMismatch
 */
async function edit(
  deps: Deps,
  { entryId, editor, expects, notify }: Edit,
  change: (tx: EntryTransaction, stored: Entry) => Promise<Entry>,
): Promise<StoredEntry> {
  return deps.storage.write(async (tx) => {
    const stored = await findReadable(tx.entries, readerOf(deps, { editor }), entryId);
    if (!stored) throw entryNotFound(entryId);
    deps.permissions.checkEdit(editor, stored.entry);
    if (expects && !expects(stored.revision)) throw new RevisionMismatch(stored);
    const nowMs = deps.clock.nowMs();
    const changed = await change(tx, stored.entry);
    const edited = await tx.entries.edit({ ...changed, modifyDate: nowMs, modifiedBy: editor.userName });
    await tx.feed.append({ kind: 'edited', entryId, revision: edited.revision, notify, atMs: nowMs });
    return edited;
  });
}

/** The fault of an edit of a version that is no longer the current one: stale `entry.version-mismatch`. */
export class RevisionMismatch extends Fault {
  /** @param current the current version, which the editor may read */
  constructor(readonly current: StoredEntry) {
    super(
      'stale',
      'entry.version-mismatch',
      `Entry ${current.id} has changed since you read it. Apply your change to the current version, which is under “current”.`,
      { details: { current: current.entry } },
    );
  }
}

export function entryNotFound(id: number | string): Fault {
  return new Fault('missing', 'entry.not-found', `Entry ${String(id).slice(0, 40)} not found.`);
}
