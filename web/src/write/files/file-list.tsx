import { ArrowUp, FileText, Pencil, RefreshCw, Undo2, X } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../../api/api.ts';
import { formatBytes } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import type { Draft, DraftFile } from '../../drafts/draft.ts';
import { readDraftFile, readUploads, type UploadState, watchUploads } from '../../drafts/draft-files.ts';
import { AnnotateFile, isAnnotatable } from './annotate-file.tsx';
import { embeddedPattern } from './file-names.ts';
import './file-list.css';
import type { PendingFile } from './file-changes.ts';
import { takeHandedAnnotation } from './handed-annotation.ts';
import type { DraftFiles } from './use-files.ts';

interface FileListProps {
  readonly draft: Draft;
  readonly files: DraftFiles;
  readonly onContinue: () => void;
}

/** The files of a draft, how far each is, and those that were refused. */
export function FileList({ draft, files, onContinue }: FileListProps) {
  const { t } = useTranslation('write');
  const uploads = useSyncExternalStore(watchUploads, readUploads);
  const [annotatedId, annotate] = useState<string>();
  const annotated = draft.content.files.find(({ id }) => id === annotatedId);
  useEffect(() => annotate(takeHandedAnnotation()), []);
  if (draft.content.files.length + files.pending.length === 0) return null;
  return (
    <>
      <ul className="file-list" aria-label={t('files')}>
        {draft.content.files.map((file, at) => (
          <FileRow
            key={file.id}
            {...{ draft, file, onContinue }}
            upload={uploads.get(file.id)}
            onRemove={() => files.remove(file)}
            onMoveUp={at > 0 ? () => files.moveUp(file) : undefined}
            onAnnotate={() => annotate(file.id)}
            onRestore={() => files.restoreOriginal(file)}
          />
        ))}
        {files.pending.map((file) => (
          <PendingRow key={file.id} file={file} onRemove={() => files.dismiss(file.id)} />
        ))}
      </ul>
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

interface FileRowProps {
  readonly draft: Draft;
  readonly file: DraftFile;
  readonly upload: UploadState | undefined;
  readonly onContinue: () => void;
  readonly onRemove: () => void;
  /** Undefined: it is the first. */
  readonly onMoveUp: (() => void) | undefined;
  readonly onAnnotate: () => void;
  readonly onRestore: () => void;
}

function FileRow({ draft, file, upload, onContinue, onRemove, onMoveUp, onAnnotate, onRestore }: FileRowProps) {
  const { t } = useTranslation('write');
  const isInText = embeddedPattern(file.id).test(draft.content.text);
  const isSending = upload?.state === 'sending';
  const percent = file.size === 0 ? 100 : Math.floor((100 * (upload?.sentBytes ?? 0)) / file.size);
  const about = [
    isSending
      ? t('file.sizeOf', { sent: formatBytes(upload.sentBytes), all: formatBytes(file.size) })
      : formatBytes(file.size),
    ...(isInText ? [t('file.inText')] : []),
  ];
  return (
    <li>
      <Thumbnail draftId={draft.id} file={file} />
      <div className="grow">
        <p className="cut">
          <b>{file.name}</b> <span className="muted">{about.join(', ')}</span>
        </p>
        {isSending && <Progress name={file.name} percent={percent} />}
        {upload?.state === 'stopped' && <p className="muted">{upload.problem ?? t('file.stopped', { percent })}</p>}
        {!isSending && upload?.state !== 'stopped' && file.width && (
          <p className="muted number">
            {file.width} × {file.height}
          </p>
        )}
      </div>
      {upload?.state === 'stopped' ? (
        <button type="button" className="button small" onClick={onContinue}>
          <Icon of={RefreshCw} />
          {t('file.continue')}
        </button>
      ) : (
        <span className="muted number">{isSending ? `${percent} %` : stateText(t, file, upload)}</span>
      )}
      {onMoveUp && <IconButton icon={ArrowUp} small label={t('file.moveUp', { name: file.name })} onClick={onMoveUp} />}
      {file.original && (
        <IconButton icon={Undo2} small label={t('file.undoMarks', { name: file.name })} onClick={onRestore} />
      )}
      {isAnnotatable(file) && (
        <IconButton icon={Pencil} small label={t('file.annotate', { name: file.name })} onClick={onAnnotate} />
      )}
      <IconButton icon={X} small label={t('file.removeNamed', { name: file.name })} onClick={onRemove} />
    </li>
  );
}

function stateText(
  t: ReturnType<typeof useTranslation<'write'>>['t'],
  { from }: DraftFile,
  upload: UploadState | undefined,
) {
  if (from === 'entry') return t('file.kept');
  return upload?.state === 'done' ? t('file.ready') : t('file.waiting');
}

function Progress({ name, percent }: { readonly name: string; readonly percent: number }) {
  const { t } = useTranslation('write');
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={t('file.progress', { name })}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  );
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

function Thumbnail({ draftId, file }: { readonly draftId: string; readonly file: DraftFile }) {
  const url = useFileUrl(draftId, file);
  const [isBroken, setBroken] = useState(false);
  const isImage = file.type.startsWith('image/') && url !== undefined && !isBroken;
  return (
    <span className="thumbnail">
      {isImage ? <img src={url} alt="" onError={() => setBroken(true)} /> : <Icon of={FileText} />}
    </span>
  );
}

/** Where the bytes of a file can be seen: in this browser, or on the server. */
export function useFileUrl(draftId: string, { id, from, type }: DraftFile): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (from === 'entry') return setUrl(apiUrl(`/attachment/${encodeURIComponent(id)}`, { inline: true }));
    if (!type.startsWith('image/')) return undefined;
    let made: string | undefined;
    let isGone = false;
    void readDraftFile(draftId, id).then((bytes) => {
      if (!bytes || isGone) return;
      made = URL.createObjectURL(bytes);
      setUrl(made);
    });
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [draftId, id, from, type]);
  return url;
}
