import { Download, File, FileText, Film, Music } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../api/api.ts';
import type { Attachment } from '../api/types.ts';
import { shownFileName } from '../components/file-name.ts';
import { formatBytes } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import './thumbs.css';

interface FileListProps {
  readonly files: readonly Attachment[];
  /** The text of the entry, which may already show some of the files. */
  readonly source: string;
  readonly onShow: (id: string) => void;
}

/** Whether the page can show it: pictures, PDF and text. */
export function isShown({ contentType }: Attachment): boolean {
  return isPicture(contentType) || contentType === 'application/pdf' || contentType.startsWith('text/');
}

export function isPicture(contentType: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(contentType);
}

export function fileUrl({ id }: Attachment, inline: boolean): string {
  return apiUrl(`/attachment/${encodeURIComponent(id)}`, inline ? { inline: true } : {});
}

/** The files of an entry, with thumbnails of pictures. */
export function FileList({ files, source, onShow }: FileListProps) {
  const { t } = useTranslation('read');
  if (files.length === 0) return null;
  return (
    <section aria-labelledby="files-title">
      <h2 className="section-title" id="files-title">
        {t('files', { count: files.length })}
      </h2>
      <ul className="thumbs">
        {files.map((file) => (
          <li key={file.id} className="thumb">
            <ThumbLink file={file} onShow={onShow} />
          </li>
        ))}
      </ul>
      <div className="print-only">
        <PrintedFiles files={files} source={source} />
      </div>
    </section>
  );
}

/** The files of an entry on paper: their names, and the pictures that the text does not show. */
export function PrintedFiles({ files, source }: Omit<FileListProps, 'onShow'>) {
  const { t } = useTranslation('read');
  if (files.length === 0) return null;
  const pictures = files.filter(
    ({ id, contentType }) => isPicture(contentType) && !source.includes(`attachment/${id}`),
  );
  return (
    <>
      <p className="printed-files">
        {t('files', { count: files.length })}:{' '}
        {files.map(({ filename, size }) => `${shownFileName(filename)} (${formatBytes(size)})`).join(', ')}
      </p>
      {pictures.map((file) => (
        <figure key={file.id}>
          <img src={fileUrl(file, true)} alt={file.filename} loading="lazy" />
          <figcaption>{shownFileName(file.filename)}</figcaption>
        </figure>
      ))}
    </>
  );
}

function ThumbLink({ file, onShow }: { readonly file: Attachment; readonly onShow: (id: string) => void }) {
  const content = (
    <>
      <span className="picture">
        <Thumbnail file={file} />
      </span>
      <span className="cut file-name">{shownFileName(file.filename)}</span>
      <span className="file-size number">{formatBytes(file.size)}</span>
    </>
  );
  if (isShown(file)) {
    return (
      <button type="button" title={shownFileName(file.filename)} onClick={() => onShow(file.id)}>
        {content}
      </button>
    );
  }
  return (
    <a href={fileUrl(file, false)} title={shownFileName(file.filename)} download={shownFileName(file.filename)}>
      {content}
    </a>
  );
}

const icons: readonly (readonly [RegExp, typeof File])[] = [
  [/^video\//, Film],
  [/^audio\//, Music],
  [/^text\/|pdf$/, FileText],
  [/zip|tar|compressed/, Download],
];

/** Larger pictures are not fetched as a whole to be shown small. */
const maxWholeBytes = 2_000_000;

/** A small picture made by the server, or else the picture itself; an icon for a file that is not a picture. */
function Thumbnail({ file }: { readonly file: Attachment }) {
  const [failures, setFailures] = useState(0);
  const address = thumbnailAddresses(file)[failures];
  if (address === undefined) {
    return <Icon of={icons.find(([pattern]) => pattern.test(file.contentType))?.[1] ?? File} />;
  }
  return <img src={address} alt="" loading="lazy" onError={() => setFailures(failures + 1)} />;
}

/** Returns the addresses of a thumbnail, in the order in which they are tried. */
function thumbnailAddresses(file: Attachment): string[] {
  if (!isPicture(file.contentType)) return [];
  // The server makes thumbnails only of pictures whose size it knows.
  const canShrink = file.width !== undefined && file.width !== null;
  const small = apiUrl(`/attachment/${encodeURIComponent(file.id)}/thumbnail`, { size: 320 });
  return [...(canShrink ? [small] : []), ...(file.size <= maxWholeBytes ? [fileUrl(file, true)] : [])];
}
