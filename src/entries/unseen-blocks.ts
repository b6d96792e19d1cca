import { checkCount, type RequestedAttachment } from '../attachments/attach-uploads.js';
import type { Attachment } from '../attachments/attachment.js';
import { isRemoved } from '../ledger/entry-digest.js';
import type { Extent } from '../ledger/extents.js';
import { type Entry, isClosed } from './entry.js';
import type { EntryDraft } from './entry-draft.js';
import type { EntryStore } from './entry-store.port.js';
import { GrowingText, join, separators } from './growing-text.js';
import type { RenderedText } from './text-renderer.js';

/** Version of a run that a client read before its edit, and the content that was appended since. */
export interface EditBase {
  readonly text: RenderedText;
  readonly unseenText: RenderedText;
  readonly unseenFiles: readonly Attachment[];
}

interface Submission {
  readonly draft: Pick<EntryDraft, 'text' | 'source' | 'description'>;
  readonly attachments: readonly RequestedAttachment[] | undefined;
}

/**
 * Finds the version of a run on which an edit is based if the client does not say it: the last one whose last lines are
 * in the sent text, or whose last file is in the list. A version that cannot be recognised counts as unread, because
 * its blocks would otherwise be hidden.
 * @returns undefined if nothing was appended since the last edit, or the run is closed
 */
export async function findBase(
  entries: Pick<EntryStore, 'listExtents'>,
  stored: Entry,
  { draft, attachments }: Submission,
): Promise<EditBase | undefined> {
  if (!stored.run || isClosed(stored.run)) return undefined;
  const extents = (await entries.listExtents(stored.id)).filter(({ text }) => !isRemoved(text));
  const [first] = extents;
  if (!first) return undefined;
  const { source, description } = stored;
  const versions = [...extents.map(lengthsOf), { source: source.length, description: description.length }];
  const sent = [...new Set([draft.text, draft.description ?? ''])];
  const forms = (['source', 'description'] as const).map(
    (form) =>
      new GrowingText(
        stored[form],
        versions.map((version) => version[form]),
      ),
  );
  const latest = Math.max(...sent.flatMap((text) => forms.map((form) => form.findLatest(text))));
  const { source: sourceLength, description: descriptionLength } = versions[latest] ?? lengthsOf(first);
  const text = { source: source.slice(0, sourceLength), description: description.slice(0, descriptionLength) };
  const listed = new Set(attachments?.map(({ id }) => id));
  const seenFiles = stored.attachments.findLastIndex(({ id }) => listed.has(id)) + 1;
  // Blocks without text have the same length as the block before them.
  const ofText = extents.find((extent) => extent.text === `${sourceLength}/${descriptionLength}`);
  return {
    text,
    unseenText: {
      source: textAfter(source, text.source, separators.source),
      description: textAfter(description, text.description, separators.description),
    },
    unseenFiles: stored.attachments.slice(Math.max(seenFiles, ofText?.attachments ?? stored.attachments.length)),
  };
}

function lengthsOf({ text }: Extent): { source: number; description: number } {
  const [source = 0, description = 0] = text.split('/').map(Number);
  return { source, description };
}

function textAfter(whole: string, former: string, separator: string): string {
  const added = whole.slice(former.length);
  return former !== '' && added.startsWith(separator) ? added.slice(separator.length) : added;
}

export function withUnseenText(edited: RenderedText, base: EditBase | undefined): RenderedText {
  if (!base) return edited;
  return {
    source: join(edited.source, base.unseenText.source, separators.source),
    description: join(edited.description, base.unseenText.description, separators.description),
  };
}

/** @throws Fault invalid `attachment.too-many` */
export function withUnseenFiles(edited: readonly Attachment[], base: EditBase | undefined): readonly Attachment[] {
  const present = new Set(edited.map(({ id }) => id));
  const unseen = base?.unseenFiles.filter(({ id }) => !present.has(id)) ?? [];
  checkCount(edited.length + unseen.length);
  return [...edited, ...unseen];
}
