import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { compareVersions } from './compare-versions.ts';
import { EntryTime } from './entry-time.tsx';

interface VersionListProps {
  readonly versions: readonly Entry[];
  readonly from: number;
  readonly to: number;
  readonly onChoose: (chosen: { from?: number; to?: number }) => void;
}

/** The versions, newest first, of which two are compared: A against B. */
export function VersionList({ versions, from, to, onChoose }: VersionListProps) {
  const { t } = useTranslation('read');
  const numbers = versions.map((_, at) => versions.length - at);
  return (
    <nav className="versions" aria-label={t('versions')}>
      <h2>
        {t('versionCount', { count: versions.length })} <span>{t('againstHint')}</span>
      </h2>
      {versions.length === 1 && <p className="hint">{t('onlyVersion')}</p>}
      <ol>
        {numbers.map((n) => {
          const entry = versions[n - 1];
          return (
            entry && (
              <li key={n} className={`version ${n === from || n === to ? 'chosen' : ''}`}>
                <span className="version-name">v{n}</span>
                <b>{n === 1 ? (entry.ownerName ?? entry.owner) : (entry.modifiedBy ?? entry.owner)}</b>
                <span className="row">
                  <Mark
                    letter="A"
                    isOn={n === from}
                    label={t('compareFrom', { n })}
                    onClick={() => onChoose({ from: n })}
                  />
                  <Mark letter="B" isOn={n === to} label={t('compareTo', { n })} onClick={() => onChoose({ to: n })} />
                </span>
                <p>
                  <EntryTime ms={entry.modifyDate ?? entry.createdDate} />
                  <br />
                  <WhatChanged entry={entry} before={versions[n - 2]} />
                </p>
              </li>
            )
          );
        })}
      </ol>
    </nav>
  );
}

interface MarkProps {
  readonly letter: string;
  readonly isOn: boolean;
  readonly label: string;
  readonly onClick: () => void;
}

function Mark({ letter, isOn, label, onClick }: MarkProps) {
  return (
    <button type="button" className="compare-mark" aria-label={label} aria-pressed={isOn} onClick={onClick}>
      {letter}
    </button>
  );
}

/** The fields that the version changed. */
function WhatChanged({ entry, before }: { readonly entry: Entry; readonly before: Entry | undefined }) {
  const { t } = useTranslation('read');
  if (!before) return t('created');
  // The texts are left out, because their comparison is slow.
  const { title, level, lists } = compareVersions({ ...before, source: '' }, { ...entry, source: '' }, 'source');
  const fields = [
    title && 'title',
    level && 'level',
    ...lists.map(([field]) => field),
    before.source !== entry.source && 'text',
  ];
  return fields
    .filter((field) => typeof field === 'string')
    .map((field) => t(`fields.${field as 'title'}`))
    .join(', ');
}
