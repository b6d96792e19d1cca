import i18next from 'i18next';
import { lazy, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../../api/api.ts';
import { LatePart } from '../../components/late-part.tsx';
import type { DraftFile } from '../../drafts/draft.ts';
import { readDraftFile } from '../../drafts/draft-files.ts';
import { showToast } from '../../toasts/toasts.ts';

const Annotator = lazy(async () => {
  const [loaded] = await Promise.all([import('../../annotate/annotator.tsx'), i18next.loadNamespaces('annotate')]);
  return { default: loaded.Annotator };
});

/** Whether browsers can draw marks on the file. */
export function isAnnotatable({ type, width }: DraftFile): boolean {
  return /^image\/(?:png|jpeg|webp|bmp|avif)$/.test(type) && width !== undefined;
}

interface AnnotateFileProps {
  readonly draftId: string;
  readonly file: DraftFile;
  readonly onDone: (annotated: Blob, original: Blob) => void;
  readonly onClose: () => void;
}

/** Draws marks on a picture of a draft. */
export function AnnotateFile({ draftId, file, onDone, onClose }: AnnotateFileProps) {
  const { t } = useTranslation('write');
  const [bytes, setBytes] = useState<Blob>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the file does not change
  useEffect(() => {
    void readPicture(draftId, file)
      .catch(() => undefined)
      .then((read) => {
        if (read) return setBytes(read);
        showToast(t('file.unreadable'), { tone: 'problem' });
        return onClose();
      });
  }, []);
  if (!bytes) return null;
  return (
    <LatePart onClose={onClose}>
      <Annotator name={file.name} file={bytes} onDone={(annotated) => onDone(annotated, bytes)} onClose={onClose} />
    </LatePart>
  );
}

async function readPicture(draftId: string, { id, from, type }: DraftFile): Promise<Blob | undefined> {
  if (from === 'added') return readDraftFile(draftId, id).then((bytes) => bytes && new Blob([bytes], { type }));
  const response = await fetch(apiUrl(`/attachment/${encodeURIComponent(id)}`)).catch(() => undefined);
  return response?.ok ? new Blob([await response.blob()], { type }) : undefined;
}
