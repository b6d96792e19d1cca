import { useTranslation } from 'react-i18next';
import type { Bootstrap } from '../api/types.ts';
import { Level } from '../components/level.tsx';
import { type Draft, otherAuthor } from '../drafts/draft.ts';
import { useMe } from '../session/me.ts';
import { Preview } from './preview.tsx';
import './tools.css';
import './preview.css';

interface PreviewPaneProps {
  readonly draft: Draft;
  readonly bootstrap: Bootstrap | undefined;
  readonly onText: (text: string) => void;
}

/** The entry as it will be read. */
export function PreviewPane({ draft, bootstrap, onText }: PreviewPaneProps) {
  const { t } = useTranslation('write');
  const me = useMe();
  const name = otherAuthor(draft, me) ?? me?.displayName ?? me?.userName ?? draft.userName;
  const level = draft.content.level || bootstrap?.defaultLevel;
  return (
    <section className="pane preview-pane" aria-label={t('preview')}>
      <div className="preview-title">
        <span className="label">{t('preview')}</span>
      </div>
      <div className="tools preview-meta">
        {level && <Level level={level} />}
        <span className="muted cut">{[name, t('now')].filter(Boolean).join(', ')}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div className="preview-scroll" tabIndex={0} role="document" aria-label={t('preview')}>
        <Preview draft={draft} onText={onText} />
      </div>
    </section>
  );
}
