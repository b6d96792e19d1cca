import { FileText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { apiUrl } from '../../api/api.ts';
import { Icon } from '../../components/icon.tsx';
import type { DraftFile } from '../../drafts/draft.ts';
import { readDraftFile } from '../../drafts/draft-files.ts';

/** A picture, or an icon for any other file. */
export function FileThumbnail({ draftId, file }: { readonly draftId: string; readonly file: DraftFile }) {
  const url = useFileUrl(draftId, file);
  const [isBroken, setBroken] = useState(false);
  const isImage = file.type.startsWith('image/') && url !== undefined && !isBroken;
  return (
    <span className="thumbnail">
      {isImage ? <img src={url} alt="" draggable={false} onError={() => setBroken(true)} /> : <Icon of={FileText} />}
    </span>
  );
}

/** Returns the address of the bytes of a file: in this browser, or on the server. */
function useFileUrl(draftId: string, { id, from, type }: DraftFile): string | undefined {
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
