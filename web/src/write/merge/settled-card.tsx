import { Check } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/icon.tsx';
import { useFieldName } from './field-name.ts';
import type { MergeChange } from './merge-content.ts';
import { WordDiff } from './word-diff.tsx';

/** A change that needs no decision. */
export function SettledCard({ change, by }: { readonly change: MergeChange; readonly by: string }) {
  const { t } = useTranslation('write');
  const fieldName = useFieldName();
  const { kind, field, base, mine, theirs } = change;
  const who = {
    mine: t('merge.onlyYou'),
    theirs: t('merge.onlyThey', { name: by }),
    alike: t('merge.bothSame'),
    both: t('merge.bothAdded'),
    conflict: '',
  }[kind];
  const isList = field === 'logbooks' || field === 'tags' || field === 'files';
  return (
    <div className="conflict">
      <header>
        <Icon of={Check} />
        {fieldName(change)}
        <span>{who}</span>
      </header>
      <div className="settled">
        {isList ? (
          <ListDiff {...{ base, mine, theirs }} />
        ) : (
          <WordDiff from={base} to={kind === 'mine' ? mine : theirs} />
        )}
      </div>
    </div>
  );
}

/** The names that either author added or removed. */
function ListDiff({ base, mine, theirs }: Pick<MergeChange, 'base' | 'mine' | 'theirs'>) {
  const [had, own, others] = [base, mine, theirs].map((text) => (text === '' ? [] : text.split('\n'))) as [
    string[],
    string[],
    string[],
  ];
  const added = [...new Set([...own, ...others])].filter((name) => !had.includes(name));
  const gone = had.filter((name) => !own.includes(name) || !others.includes(name));
  return (
    <span className="row list-diff">
      {added.map((name) => (
        <ins key={name}>+ {name}</ins>
      ))}
      {gone.map((name) => (
        <del key={name}>{name}</del>
      ))}
    </span>
  );
}
