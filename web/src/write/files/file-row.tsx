import { ArrowDown, ArrowUp, GripVertical, Pencil, RefreshCw, Undo2, X } from 'lucide-react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import type { Draft, DraftFile } from '../../drafts/draft.ts';
import type { UploadState } from '../../drafts/draft-files.ts';
import { captionOf } from '../../read/caption.ts';
import { isAnnotatable } from './annotate-file.tsx';
import { FileThumbnail } from './file-thumbnail.tsx';
import type { Grip } from './use-row-drag.ts';

/** Maximum length of a caption in UTF-16 code units. */
const maxCaption = 500;

/** Position of a file in the list. */
interface Order {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly grip: Grip;
  /** Class while a file is dragged. */
  readonly className: string | undefined;
  readonly onMove: (by: -1 | 1) => void;
}

interface FileRowProps {
  readonly draft: Draft;
  readonly file: DraftFile;
  readonly upload: UploadState | undefined;
  readonly onContinue: () => void;
  readonly onRemove: () => void;
  /** Absent: it is the only file. */
  readonly order: Order | undefined;
  readonly onCaption: (caption: string) => void;
  readonly onAnnotate: () => void;
  readonly onRestore: () => void;
}

/** A file of a draft, and the actions on it. */
export function FileRow(props: FileRowProps) {
  const { draft, file, upload, order, onContinue, onRemove, onCaption, onAnnotate, onRestore } = props;
  const { t } = useTranslation('write');
  const caption = captionOf(draft.content.text, file.id);
  const isSending = upload?.state === 'sending';
  const percent = file.size === 0 ? 100 : Math.floor((100 * (upload?.sentBytes ?? 0)) / file.size);
  const about = [
    isSending
      ? t('file.sizeOf', { sent: formatBytes(upload.sentBytes), all: formatBytes(file.size) })
      : formatBytes(file.size),
    ...(caption === undefined ? [] : [t('file.inText')]),
  ];
  return (
    <li className={order?.className}>
      {order && (
        <span className="grip" {...order.grip}>
          <Icon of={GripVertical} />
        </span>
      )}
      <FileThumbnail draftId={draft.id} file={file} />
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
        {caption !== undefined && <CaptionField name={file.name} caption={caption} onChange={onCaption} />}
      </div>
      {upload?.state === 'stopped' ? (
        <button type="button" className="button small" onClick={onContinue}>
          <Icon of={RefreshCw} />
          {t('file.continue')}
        </button>
      ) : (
        <span className="muted number">{isSending ? `${percent} %` : stateText(t, file, upload)}</span>
      )}
      {order && <MoveButtons name={file.name} order={order} />}
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

interface CaptionFieldProps {
  readonly name: string;
  readonly caption: string;
  readonly onChange: (caption: string) => void;
}

function CaptionField({ name, caption, onChange }: CaptionFieldProps) {
  const { t } = useTranslation('write');
  return (
    <input
      className="input"
      aria-label={t('file.caption', { name })}
      placeholder={t('file.captionHint')}
      maxLength={maxCaption}
      value={caption}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function MoveButtons({ name, order }: { readonly name: string; readonly order: Order }) {
  const { t } = useTranslation('write');
  const mover = (by: -1 | 1, isEnd: boolean) => ({
    small: true,
    // Not `disabled`: the button would lose the focus at the end of the list.
    'aria-disabled': isEnd,
    onClick: ({ currentTarget }: React.MouseEvent<HTMLElement>) => {
      if (isEnd) return;
      flushSync(() => order.onMove(by));
      // A row that is moved in the document loses the focus.
      currentTarget.focus();
    },
  });
  return (
    <>
      <IconButton icon={ArrowUp} label={t('file.moveUp', { name })} {...mover(-1, order.isFirst)} />
      <IconButton icon={ArrowDown} label={t('file.moveDown', { name })} {...mover(1, order.isLast)} />
    </>
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
