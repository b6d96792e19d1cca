import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Attachment } from '../api/types.ts';
import { Problem } from '../components/problem.tsx';
import { mayBeData } from './data-files.ts';
import { DataPreview } from './data-preview.tsx';
import { charsetOf, fetchFile } from './fetch-file.ts';

const shownBytes = 200_000;

/** A PDF in the viewer of the browser, a table of numbers as a plot, or the beginning of a text. */
export function FilePreview({ file }: { readonly file: Attachment }) {
  if (file.contentType === 'application/pdf') return <PdfPreview file={file} />;
  const text = <TextPreview file={file} />;
  return mayBeData(file) ? <DataPreview file={file} otherwise={text} /> : text;
}

function TextPreview({ file }: { readonly file: Attachment }) {
  const { t } = useTranslation('read');
  const { data, error, refetch } = useQuery({
    queryKey: ['file-text', file.id],
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=0-${shownBytes - 1}` };
      const response = await fetchFile(file, { signal, headers });
      // The last character may be cut off.
      return new TextDecoder(charsetOf(response)).decode(await response.arrayBuffer(), { stream: true });
    },
  });
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  return (
    <div className="gallery-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>{data}</pre>
      {file.size > shownBytes && <p className="hint">{t('textIsCut')}</p>}
    </div>
  );
}

/** Shows the PDF from a blob: the viewer of the browser refuses the response of the server, which is sandboxed. */
function PdfPreview({ file }: { readonly file: Attachment }) {
  const { t } = useTranslation('read');
  const [address, setAddress] = useState<string>();
  const { data, error, refetch } = useQuery({
    queryKey: ['file-blob', file.id],
    queryFn: async ({ signal }) => (await fetchFile(file, { signal })).blob(),
    gcTime: 0,
  });
  useEffect(() => {
    if (!data) return undefined;
    const url = URL.createObjectURL(new Blob([data], { type: 'application/pdf' }));
    setAddress(url);
    return () => URL.revokeObjectURL(url);
  }, [data]);
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (address === undefined) return <div className="gallery-text" role="status" aria-label={t('loadingFile')} />;
  return <iframe className="gallery-pdf" src={address} title={file.filename} />;
}
