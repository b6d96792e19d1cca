import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../api/api.ts';
import type { Draft } from '../drafts/draft.ts';
import { readDraftFile } from '../drafts/draft-files.ts';
import '../read/prose.css';

const delayMs = 150;

/** The text as it will be read; follows what is typed after a moment. */
export function Preview({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('write');
  const place = useRef<HTMLDivElement>(null);
  const text = useSettled(draft.content.text);
  const attachmentUrl = useAttachmentUrls(draft);
  useEffect(() => {
    let isCurrent = true;
    void import('../read/markdown.ts').then(({ renderMarkdown }) => {
      if (isCurrent && place.current) place.current.replaceChildren(render(renderMarkdown(text), attachmentUrl));
    });
    return () => {
      isCurrent = false;
    };
  }, [text, attachmentUrl]);
  return (
    <>
      {text.trim() === '' && <p className="muted preview-empty">{t('previewEmpty')}</p>}
      <div className="prose" ref={place} />
    </>
  );
}

/** The rendered text; nothing in it is loaded before the addresses of its images are those of the draft. */
function render(html: string, attachmentUrl: (id: string) => string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  for (const image of template.content.querySelectorAll<HTMLImageElement>('img[data-attachment]')) {
    image.src = attachmentUrl(decodeURIComponent(image.dataset.attachment ?? ''));
  }
  return template.content;
}

/** The value after it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The addresses of the images in the text: files of the draft are shown from this browser. */
function useAttachmentUrls({ id: draftId, content }: Draft): (id: string) => string {
  const made = useRef(new Map<string, string>());
  const [version, setVersion] = useState(0);
  const added = content.files.filter(({ from, type }) => from === 'added' && type.startsWith('image/'));
  const ids = added.map(({ id }) => id).join();
  useEffect(() => {
    for (const id of ids === '' ? [] : ids.split(',')) {
      if (made.current.has(id)) continue;
      void readDraftFile(draftId, id).then((bytes) => {
        if (!bytes || made.current.has(id)) return;
        made.current.set(id, URL.createObjectURL(bytes));
        setVersion((count) => count + 1);
      });
    }
  }, [draftId, ids]);
  useEffect(() => {
    const urls = made.current;
    return () => {
      for (const url of urls.values()) URL.revokeObjectURL(url);
      urls.clear();
    };
  }, []);
  const [resolve, setResolve] = useState(() => resolver(made.current));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is the same, its content is not
  useEffect(() => setResolve(() => resolver(made.current)), [version]);
  return resolve;
}

const resolver = (urls: ReadonlyMap<string, string>) => (id: string) =>
  urls.get(id) ?? apiUrl(`/attachment/${encodeURIComponent(id)}`, { inline: true });
