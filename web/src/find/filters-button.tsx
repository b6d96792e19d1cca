import { ListFilter } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { runShortcut } from '../keys/use-shortcut.ts';
import type { FindSearch } from './find-search.ts';
import { countFilters } from './query-terms.ts';

/** Opens the filters on a phone, and shows how many are set. */
export function FiltersButton({ search }: { readonly search: FindSearch }) {
  const { t } = useTranslation('find');
  const count = countFilters(search.query);
  return (
    <button
      type="button"
      className="button icon-only filters-button"
      aria-label={count > 0 ? t('filtersSet', { count }) : t('filters')}
      onClick={() => runShortcut('filters')}
    >
      <Icon of={ListFilter} />
      {count > 0 && <span className="badge">{count}</span>}
    </button>
  );
}
