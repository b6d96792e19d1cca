import { ChevronUp } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';

/** The number of new entries, which appear when the user presses it. */
export function NewsPill({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  const { t } = useTranslation('find');
  return (
    <span role="status">
      {count > 0 && (
        <button type="button" className="pill" onClick={onShow}>
          <Icon of={ChevronUp} />
          {t('newEntries', { count, shown: formatNumber(count) })}
        </button>
      )}
    </span>
  );
}
