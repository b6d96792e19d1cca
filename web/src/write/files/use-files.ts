import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Bootstrap } from '../../api/types.ts';
import type { DraftFile } from '../../drafts/draft.ts';
import { storeFile } from '../../drafts/draft-store.ts';
import type { OpenDraft } from '../../drafts/open-draft.ts';
import { newUuid } from '../../drafts/uuid.ts';
import type { EditorHandle } from '../editor/editor-handle.ts';
import { type FileChanges, fileChanges, type PendingFile } from './file-changes.ts';
import { embeddedImage, formatLimit, jpegName } from './file-names.ts';
import { isHeic, toJpeg } from './heic.ts';
import { removeFile } from './remove-file.ts';
import { toDraftFile } from './to-draft-file.ts';

interface FilesDeps {
  readonly open: OpenDraft;
  readonly bootstrap: Bootstrap | undefined;
  readonly editor: { readonly current: EditorHandle | null };
}

export interface DraftFiles extends FileChanges {
  readonly pending: readonly PendingFile[];
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (file: DraftFile) => void;
  readonly dismiss: (id: string) => void;
}

/** Adds files to a draft and removes them; images go into the text. */
export function useFiles({ open, bootstrap, editor }: FilesDeps): DraftFiles {
  const { t } = useTranslation('write');
  const [pending, setPending] = useState<readonly PendingFile[]>([]);
  const adding = useRef(Promise.resolve());
  const dismiss = (id: string) => setPending((all) => all.filter((one) => one.id !== id));
  const hold = (file: PendingFile) => setPending((all) => [...all.filter(({ id }) => id !== file.id), file]);

  const addOne = async (file: File) => {
    const id = newUuid();
    const about = { id, name: file.name, size: file.size };
    try {
      const ready = await prepare(file, () => hold(about));
      const problem = refusal(ready, open.draft.content.files);
      if (problem !== undefined) return hold({ ...about, problem });
      const added = await toDraftFile(id, ready, open.draft.content.files);
      await storeFile(open.draft.id, id, ready);
      open.change({ files: [...open.draft.content.files, added] });
      if (added.width) embed({ open, editor }, embeddedImage(added));
      return dismiss(id);
    } catch (error) {
      return hold({ ...about, problem: t(error instanceof HeicFault ? 'file.heicFailed' : 'file.unreadable') });
    }
  };

  /** Says which limits are exceeded before anything is sent. */
  const refusal = (file: Blob, files: readonly DraftFile[]): string | undefined => {
    if (!bootstrap) return undefined;
    const { maxFileSize, maxRequestSize, maxAttachments } = bootstrap.limits;
    const all = files.reduce((sum, { size, from }) => sum + (from === 'added' ? size : 0), file.size);
    if (file.size > maxFileSize) return t('file.tooLarge', { limit: formatLimit(maxFileSize) });
    if (all > maxRequestSize) return t('file.tooMuch', { limit: formatLimit(maxRequestSize) });
    if (files.length >= maxAttachments) return t('file.tooMany', { limit: maxAttachments });
    return undefined;
  };

  return {
    pending,
    dismiss,
    remove: (file) => removeFile(open, file, t),
    ...fileChanges({ open, refusal, refuse: hold, t }),
    // Add one file after the other, so that each check sees the names and sizes of the earlier files.
    add: (files) => {
      for (const file of files) adding.current = adding.current.then(() => addOne(file));
    },
  };
}

/** Writes an image into the text: at the cursor, or at the end while the editor is not there yet. */
function embed({ open, editor }: Pick<FilesDeps, 'open' | 'editor'>, image: string): void {
  const { text } = open.draft.content;
  if (editor.current) editor.current.insertBlock(image);
  else open.change({ text: text === '' ? image : `${text}\n\n${image}` });
}

class HeicFault extends Error {}

async function prepare(file: File, onConverting: () => void): Promise<File> {
  // Reading the file here refuses unreadable ones, such as a folder, early.
  if (!(await isHeic(file))) return file;
  onConverting();
  try {
    return new File([await toJpeg(file)], jpegName(file.name), { type: 'image/jpeg' });
  } catch (error) {
    throw new HeicFault(String(error));
  }
}
