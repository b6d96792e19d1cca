import { GitMerge, Lock } from 'lucide-react';
import { Trans, useTranslation } from 'react-i18next';
import { formatTime } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import type { Staleness } from './use-staleness.ts';

interface WriteNotesProps {
  readonly stale: Staleness;
  readonly endedMs: number | undefined;
  /** Author of the text, if someone else is signed in. */
  readonly otherAuthor: string | undefined;
}

/** Shows notes about events around the text; each says first that the text is safe. */
export function WriteNotes({ stale, endedMs, otherAuthor }: WriteNotesProps) {
  const { t } = useTranslation('write');
  const { theirs } = stale;
  return (
    <>
      {endedMs !== undefined && (
        <div className="note" role="status">
          <Icon of={Lock} />
          <span className="grow">
            <Trans t={t} i18nKey="session.ended" values={{ time: formatTime(endedMs) }} components={[<b key="0" />]} />
          </span>
        </div>
      )}
      {otherAuthor !== undefined && (
        <div className="note" role="status">
          <Icon of={Lock} />
          <span className="grow">
            <Trans t={t} i18nKey="session.other" values={{ name: otherAuthor }} components={[<b key="0" />]} />
          </span>
        </div>
      )}
      {theirs && (
        <div className="note" role="status">
          <Icon of={GitMerge} />
          <span className="grow">
            <Trans
              t={t}
              i18nKey="stale.saved"
              values={{ name: theirs.by, time: formatTime(theirs.atMs) }}
              components={[<b key="0" />]}
            />
          </span>
          <button type="button" className="button small" onClick={stale.merge}>
            {t('stale.show')}
          </button>
        </div>
      )}
    </>
  );
}
