import type { BlobStore } from '../attachments/blob-store.port.js';
import { type AttachmentWish, settleAttachments, type Upload, withKeptFiles } from '../attachments/uploads.js';
import type { Permissions } from '../auth/permission.js';
import type { Principal } from '../auth/principal.js';
import type { Clock } from '../kernel/clock.js';
import type { Storage } from '../storage/storage.port.js';
import { type Entry, withGroup } from './entry.js';
import { checkDraft, type EntryDraft } from './entry-draft.js';
import { joinGroupOf } from './group-entries.js';
import { mayReadAttachment } from './readable.js';
import { defaultLevelName, resolveReferences } from './references.js';
import type { Markup, TextRenderer } from './text-renderer.js';

export interface CreateEntry {
  readonly draft: EntryDraft;
  readonly markup: Markup;
  readonly author: Principal;
  readonly attachments: readonly AttachmentWish[] | undefined;
  readonly uploads: readonly Upload[];
  /** The entry that this one answers. */
  readonly inReplyTo: number | undefined;
  /** False: open clients are not told. */
  readonly notify: boolean;
  /** With the key of an earlier create of the same author, that entry is the result and nothing is stored. */
  readonly idempotencyKey: string | undefined;
}

export async function createEntry(
  deps: {
    readonly storage: Storage;
    readonly blobs: BlobStore;
    readonly texts: TextRenderer;
    readonly clock: Clock;
    readonly permissions: Permissions;
  },
  request: CreateEntry,
): Promise<Entry> {
  const { draft, author, idempotencyKey } = request;
  const { permissions } = deps;
  const reader = { permissions, principal: author };
  checkDraft(draft);
  const text = await deps.texts.render(draft.text, request.markup);
  return withKeptFiles(deps, request.uploads, () =>
    deps.storage.write(async (tx) => {
      if (idempotencyKey !== undefined) {
        const earlier = await tx.entries.findCreatedUnder(author.userName, idempotencyKey);
        if (earlier) return earlier;
      }
      const references = await resolveReferences(tx.catalog, draft);
      permissions.checkFiling(author, references);
      const attachments = await settleAttachments(tx, request.attachments, request.uploads, [], (id) =>
        mayReadAttachment(tx, reader, id),
      );
      const nowMs = deps.clock.nowMs();
      const groupId =
        request.inReplyTo === undefined
          ? undefined
          : await joinGroupOf(tx, reader, request.inReplyTo, nowMs, request.notify);
      const entry = await tx.entries.insert(
        {
          owner: author.userName,
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
        },
        { inReplyTo: request.inReplyTo, idempotencyKey },
      );
      await tx.feed.append({
        kind: 'created',
        entryId: entry.id,
        version: entry.version,
        notify: request.notify,
        atMs: nowMs,
      });
      return entry;
    }),
  );
}
