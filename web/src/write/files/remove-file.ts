import type { TFunction } from 'i18next';
import type { DraftFile } from '../../drafts/draft.ts';
import { stopUpload } from '../../drafts/draft-files.ts';
import type { OpenDraft } from '../../drafts/open-draft.ts';
import { deleteServerFile } from '../../drafts/server-drafts.ts';
import { showToast } from '../../toasts/toasts.ts';
import { embeddedPattern, restoreRemoved } from './file-names.ts';

const undoMs = 10_000;

/** Removes a file from a draft and its text; for ten seconds, an undo restores both. */
export function removeFile(open: OpenDraft, file: DraftFile, t: TFunction<'write'>): void {
  const { files, text } = open.draft.content;
  const at = files.findIndex(({ id }) => id === file.id);
  stopUpload(file.id);
  const place = embeddedPattern(file.id);
  const without = text.replace(place, '');
  open.change({ files: files.filter(({ id }) => id !== file.id) });
  if (without !== text) open.replaceText(without);
  const draftId = open.draft.id;
  // An undo needs the bytes, and only the server has those of a file that was added on another computer.
  const removeFromServer = () => {
    const { id, server, content } = open.draft;
    if (file.from !== 'added' || !server || id !== draftId || content.files.some((one) => one.id === file.id)) return;
    void deleteServerFile(draftId, file.id).catch(() => {});
  };
  const bringBack = () => {
    const now = open.draft.content;
    open.change({ files: now.files.toSpliced(at, 0, file) });
    if (without !== text) open.replaceText(restoreRemoved(now.text, text, place));
  };
  const action = { label: t('undo'), run: bringBack };
  showToast(file.name, { action, durationMs: undoMs, onGone: removeFromServer });
}
