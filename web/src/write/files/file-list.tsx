import { FileText } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import type { Draft } from '../../drafts/draft.ts';
import { readUploads, watchUploads } from '../../drafts/draft-files.ts';
import { AnnotateFile } from './annotate-file.tsx';
import './file-list.css';
import type { PendingFile } from './file-changes.ts';
import { FileRow } from './file-row.tsx';
import { takeHandedAnnotation } from './handed-annotation.ts';
import type { DraftFiles } from './use-files.ts';
import { useRowDrag } from './use-row-drag.ts';

interface FileListProps {
  readonly draft: Draft;
  readonly files: DraftFiles;
  readonly onContinue: () => void;
}

/** The files of a draft with their progress, and refused ones. */
export function FileList({ draft, files, onContinue }: FileListProps) {
  const { t } = useTranslation('write');
  const uploads = useSyncExternalStore(watchUploads, readUploads);
  const [annotatedId, annotate] = useState<string>();
  const annotated = draft.content.files.find(({ id }) => id === annotatedId);
  useEffect(() => annotate(takeHandedAnnotation()), []);
  const { length } = draft.content.files;
  const { move, moved } = useMove(draft, files);
  const drag = useRowDrag(length, move);
  if (length + files.pending.length === 0) return null;
  return (
    <>
      <ul className="file-list" aria-label={t('files')}>
        {draft.content.files.map((file, at) => (
          <FileRow
            key={file.id}
            {...{ draft, file, onContinue }}
            upload={uploads.get(file.id)}
            onRemove={() => files.remove(file)}
            order={
              length < 2
                ? undefined
                : {
                    isFirst: at === 0,
                    isLast: at === length - 1,
                    grip: drag.gripOf(at),
                    className: drag.classOf(at),
                    onMove: (by) => move(at, at + by),
                  }
            }
            onCaption={(caption) => files.caption(file, caption)}
            onAnnotate={() => annotate(file.id)}
            onRestore={() => files.restoreOriginal(file)}
          />
        ))}
        {files.pending.map((file) => (
          <PendingRow key={file.id} file={file} onRemove={() => files.dismiss(file.id)} />
        ))}
      </ul>
      <p role="status" className="visually-hidden">
        {moved}
      </p>
      {annotated && (
        <AnnotateFile
          key={annotated.id}
          draftId={draft.id}
          file={annotated}
          onDone={(picture, bytes) => {
            files.annotate(annotated, picture, bytes);
            annotate(undefined);
          }}
          onClose={() => annotate(undefined)}
        />
      )}
    </>
  );
}

/** Returns the function that moves a file, and a description of the last move for screen readers. */
function useMove({ content }: Draft, files: DraftFiles) {
  const { t } = useTranslation('write');
  const [moved, tellMoved] = useState('');
  const move = (from: number, to: number) => {
    const file = content.files[from];
    if (!file) return;
    files.move(file, to);
    tellMoved(t('file.moved', { name: file.name, at: to + 1, all: content.files.length }));
  };
  return { move, moved };
}

function PendingRow({ file, onRemove }: { readonly file: PendingFile; readonly onRemove: () => void }) {
  const { t } = useTranslation('write');
  return (
    <li>
      <span className="thumbnail">
        <Icon of={FileText} />
      </span>
      <div className="grow">
        <p className="cut">
          <b>{file.name}</b> <span className="muted">{formatBytes(file.size)}</span>
        </p>
        {file.problem !== undefined && (
          <p className="bad" role="alert">
            {file.problem}
          </p>
        )}
      </div>
      {file.problem === undefined ? (
        <span className="muted">{t('file.converting')}</span>
      ) : (
        <button type="button" className="button small" onClick={onRemove}>
          {t('file.remove')}
        </button>
      )}
    </li>
  );
}
