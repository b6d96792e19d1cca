import type { TFunction } from 'i18next';
import type { DraftFile } from '../../drafts/draft.ts';
import { stopUpload } from '../../drafts/draft-files.ts';
import { findFile, storeFile } from '../../drafts/draft-store.ts';
import type { OpenDraft } from '../../drafts/open-draft.ts';
import { deleteServerFile } from '../../drafts/server-drafts.ts';
import { newUuid } from '../../drafts/uuid.ts';
import { withCaption } from '../../read/caption.ts';
import { showToast } from '../../toasts/toasts.ts';
import { withOtherImage } from './file-names.ts';
import { toDraftFile } from './to-draft-file.ts';

/** A file that is not part of the draft: it is being prepared, or is refused. */
export interface PendingFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  /** Absent: the file is an image that is being converted to JPEG. */
  readonly problem?: string | undefined;
}

/** Changes to the files of a draft. */
export interface FileChanges {
  /** Moves the file to another place in the list: an entry shows its files in this order. */
  readonly move: (file: DraftFile, to: number) => void;
  /** Gives the picture another caption in the text. */
  readonly caption: (file: DraftFile, caption: string) => void;
  /** Replaces the picture by `annotated`, the same picture with marks. `bytes` is the content of the original. */
  readonly annotate: (file: DraftFile, annotated: Blob, bytes: Blob) => void;
  /** Restores the picture without marks. */
  readonly restoreOriginal: (file: DraftFile) => void;
}

interface FileChangesDeps {
  readonly open: OpenDraft;
  /** Returns a message about the limit that the file exceeds together with the others; undefined: it exceeds none. */
  readonly refusal: (file: Blob, others: readonly DraftFile[]) => string | undefined;
  readonly refuse: (file: PendingFile) => void;
  readonly t: TFunction<'write'>;
}

export function fileChanges({ open, refusal, refuse, t }: FileChangesDeps): FileChanges {
  const replace = (file: DraftFile, next: DraftFile) => {
    const { files, text } = open.draft.content;
    stopUpload(file.id);
    open.change({ files: files.map((one) => (one.id === file.id ? next : one)) });
    const shown = withOtherImage(text, file.id, next);
    if (shown !== text) open.replaceText(shown);
    if (file.from === 'added' && open.draft.server) void deleteServerFile(open.draft.id, file.id).catch(() => {});
  };

  const annotate = async (file: DraftFile, annotated: Blob, bytes: Blob) => {
    const id = newUuid();
    const others = open.draft.content.files.filter((one) => one.id !== file.id);
    const name = annotated.type === file.type ? file.name : file.name.replace(/(?:\.\w+)?$/, '.png');
    const problem = refusal(annotated, others);
    if (problem !== undefined) return refuse({ id, name, size: annotated.size, problem });
    const next = await toDraftFile(id, new File([annotated], name, { type: annotated.type }), others);
    await storeFile(open.draft.id, id, annotated);
    // The original stays in this browser, because it shows the parts that were blurred.
    if (file.from === 'added') await storeFile(open.draft.id, file.id, bytes);
    return replace(file, { ...next, original: file.original ?? file });
  };

  const restoreOriginal = async (file: DraftFile) => {
    const { original } = file;
    if (!original) return;
    const isHere = original.from === 'entry' || (await findFile(open.draft.id, original.id)) !== undefined;
    if (isHere) replace(file, original);
    else showToast(t('file.originalElsewhere'), { tone: 'problem' });
  };

  return {
    move: (file, to) => {
      const others = open.draft.content.files.filter(({ id }) => id !== file.id);
      open.change({ files: others.toSpliced(to, 0, file) });
    },
    caption: ({ id }, caption) => open.replaceText(withCaption(open.draft.content.text, id, caption)),
    annotate: (file, annotated, bytes) => void annotate(file, annotated, bytes),
    restoreOriginal: (file) => void restoreOriginal(file),
  };
}
