import { ArrowDownUp } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import type { FindSearch } from './find-search.ts';

interface SortButtonProps {
  readonly search: FindSearch;
  readonly onChange: (search: FindSearch) => void;
}

/** The order of the hits. */
export function SortButton({ search, onChange }: SortButtonProps) {
  const { t } = useTranslation('find');
  const { sort, ...rest } = search;
  const sorted = `${t('sort')}: ${t(`sorts.${sort ?? 'down'}`)}`;
  const trigger = (
    <button type="button" className="button ghost small" aria-label={sorted} title={sorted}>
      <Icon of={ArrowDownUp} />
    </button>
  );
  return (
    <Menu
      trigger={trigger}
      label={t('sort')}
      items={[
        { label: t('sorts.down'), onAction: () => onChange(rest) },
        { label: t('sorts.up'), onAction: () => onChange({ ...rest, sort: 'up' }) },
        { label: t('sorts.relevance'), onAction: () => onChange({ ...rest, sort: 'relevance' }) },
      ]}
    />
  );
}
