import { ChevronLeft, ChevronRight, Download, Pencil, X, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import type { Attachment } from '../api/types.ts';
import { shownFileName } from '../components/file-name.ts';
import { formatBytes } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { captionOf } from './caption.ts';
import { fileUrl, isPicture, isShown } from './file-list.tsx';
import { FilePreview } from './file-preview.tsx';
import './gallery.css';

interface GalleryProps {
  readonly files: readonly Attachment[];
  /** The text of the entry, which has the captions of the pictures. */
  readonly source: string;
  readonly shownId: string;
  /** Shows another file; undefined closes. */
  readonly onShow: (id: string | undefined) => void;
  /** Draws marks on a picture, which edits the entry. */
  readonly onAnnotate: (id: string) => void;
}

const zooms = [1, 1.5, 2, 3, 4, 6, 8] as const;

/** The files of an entry over the whole page, one at a time: pictures can be enlarged, PDF and text are shown. */
export function Gallery({ files, source, shownId, onShow, onAnnotate }: GalleryProps) {
  const { t } = useTranslation('read');
  const shown = files.filter(isShown);
  const at = shown.findIndex(({ id }) => id === shownId);
  const file = shown[at];
  const [zoom, setZoom] = useState(0);
  const go = (by: number) => {
    const next = shown[at + by];
    if (!next) return;
    setZoom(0);
    onShow(next.id);
  };
  const close = () => onShow(undefined);
  const isImage = file !== undefined && isPicture(file.contentType);
  const caption = file && captionOf(source, file.id)?.trim();
  const zoomBy = (by: number) => isImage && setZoom((known) => Math.min(zooms.length - 1, Math.max(0, known + by)));
  const keys: Readonly<Record<string, () => void>> = {
    ...{ ArrowLeft: () => go(-1), ArrowRight: () => go(1), '0': () => setZoom(0) },
    ...{ '+': () => zoomBy(1), '=': () => zoomBy(1), '-': () => zoomBy(-1) },
  };
  useKeys(keys);
  if (!file) return null;
  return (
    <ModalOverlay className="gallery" isOpen onOpenChange={(isOpen) => !isOpen && close()}>
      <Modal className="gallery-modal">
        <Dialog className="gallery-dialog" data-modal="true" aria-label={shownFileName(file.filename)}>
          <div className="gallery-frame">
            <GalleryHead
              file={file}
              position={t('fileOf', { at: at + 1, of: shown.length })}
              onZoom={zoomBy}
              onAnnotate={() => onAnnotate(file.id)}
              onClose={close}
            />
            {isImage ? (
              <Picture key={file.id} file={file} zoom={zooms[zoom] ?? 1} onZoom={zoomBy} />
            ) : (
              <FilePreview key={file.id} file={file} />
            )}
            {caption && <p className="gallery-caption">{caption}</p>}
            {at > 0 && <Arrow side="left" label={t('previousFile')} onClick={() => go(-1)} />}
            {at < shown.length - 1 && <Arrow side="right" label={t('nextFile')} onClick={() => go(1)} />}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Runs the function of a key that is pressed anywhere while the gallery is open. */
function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const run = latest.current[event.key];
      // Scrollable elements and plots handle their own keys.
      if (!run || (event.target as Element).closest('pre, iframe, .plot')) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

interface GalleryHeadProps {
  readonly file: Attachment;
  readonly position: string;
  readonly onZoom: (by: number) => void;
  readonly onAnnotate: () => void;
  readonly onClose: () => void;
}

/** Name and size of the shown file, and the actions on it. */
function GalleryHead({ file, position, onZoom, onAnnotate, onClose }: GalleryHeadProps) {
  const { t } = useTranslation('read');
  const { t: tCommon } = useTranslation();
  const isImage = isPicture(file.contentType);
  return (
    <header>
      <strong className="cut">{shownFileName(file.filename)}</strong>
      <span className="number muted">
        {file.width ? `${file.width} × ${file.height}, ` : ''}
        {formatBytes(file.size)}
      </span>
      <span className="grow" />
      <span className="number muted">{position}</span>
      {isImage && <IconButton icon={ZoomOut} label={t('zoomOut')} keys="-" onClick={() => onZoom(-1)} />}
      {isImage && <IconButton icon={ZoomIn} label={t('zoomIn')} keys="+" onClick={() => onZoom(1)} />}
      {isImage && <IconButton icon={Pencil} label={t('annotate')} onClick={onAnnotate} />}
      <a
        className="button ghost icon-only"
        href={fileUrl(file, false)}
        download={shownFileName(file.filename)}
        aria-label={t('download', { name: file.filename })}
      >
        <Icon of={Download} />
      </a>
      <IconButton icon={X} label={tCommon('close')} keys="Esc" onClick={onClose} />
    </header>
  );
}

interface ArrowProps {
  readonly side: 'left' | 'right';
  readonly label: string;
  readonly onClick: () => void;
}

function Arrow({ side, label, onClick }: ArrowProps) {
  return (
    <button type="button" className={`gallery-arrow ${side}`} aria-label={label} onClick={onClick}>
      <Icon of={side === 'left' ? ChevronLeft : ChevronRight} />
    </button>
  );
}

interface PictureProps {
  readonly file: Attachment;
  readonly zoom: number;
  readonly onZoom: (by: number) => void;
}

/** A picture, as large as fits or enlarged; an enlarged one is moved by dragging. */
function Picture({ file, zoom, onZoom }: PictureProps) {
  const place = useRef<HTMLDivElement>(null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer's way to zoom; keys and buttons do the same
    <div
      ref={place}
      className={`gallery-picture ${zoom > 1 ? 'zoomed' : ''}`}
      onDoubleClick={() => onZoom(zoom > 1 ? -99 : 2)}
      onWheel={(event) => (event.ctrlKey || zoom === 1) && onZoom(event.deltaY < 0 ? 1 : -1)}
      onPointerMove={(event) => {
        if (event.buttons === 1 && event.pointerType === 'mouse')
          place.current?.scrollBy(-event.movementX, -event.movementY);
      }}
    >
      <img
        src={fileUrl(file, true)}
        alt={file.filename}
        draggable={false}
        style={zoom === 1 ? undefined : { width: `${zoom * 100}%`, maxWidth: 'none', maxHeight: 'none' }}
      />
    </div>
  );
}
