import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, toApiError } from '../api/api-error.ts';
import type { Attachment } from '../api/types.ts';
import { Problem } from '../components/problem.tsx';
import { fileUrl } from './file-list.tsx';

const shownBytes = 200_000;

/** A PDF in the viewer of the browser, or the beginning of a text. */
export function FilePreview({ file }: { readonly file: Attachment }) {
  return file.contentType === 'application/pdf' ? <PdfPreview file={file} /> : <TextPreview file={file} />;
}

function TextPreview({ file }: { readonly file: Attachment }) {
  const { t } = useTranslation('read');
  const { data, error, refetch } = useQuery({
    queryKey: ['file-text', file.id],
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=0-${shownBytes - 1}` };
      return readText(await fetchFile(file, { signal, headers }));
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

/** Reads a text, the last character of which may be cut off, in the encoding that the server names. */
async function readText(response: Response): Promise<string> {
  const [, charset = 'utf-8'] = /charset=([\w-]+)/.exec(response.headers.get('content-type') ?? '') ?? [];
  return new TextDecoder(charset).decode(await response.arrayBuffer(), { stream: true });
}

/** As a file of the page itself: the viewer of the browser refuses the server's own, which may do nothing. */
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

async function fetchFile(file: Attachment, init: RequestInit): Promise<Response> {
  const response = await fetch(fileUrl(file, true), init).catch((error: unknown) => {
    if (error instanceof DOMException) throw error;
    throw new ApiError(0, 'network', 'The service cannot be reached.', undefined);
  });
  if (!response.ok) throw await toApiError(response);
  return response;
}
