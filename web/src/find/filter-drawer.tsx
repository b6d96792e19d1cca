import { X } from 'lucide-react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useViewport } from '../app/viewport.ts';
import { IconButton } from '../components/icon-button.tsx';
import { WatchSearch } from '../inbox/watch-search.tsx';
import { FilterPanel } from './filter-panel.tsx';
import type { FindSearch } from './find-search.ts';
import { SaveSearch } from './save-search.tsx';
import { SortButton } from './sort-button.tsx';
import './filter-drawer.css';

interface FilterDrawerProps {
  readonly search: FindSearch;
  readonly onChange: (search: FindSearch) => void;
  readonly onClose: () => void;
}

/** The filters as a drawer if there is no room next to the list; on a phone, it covers the whole screen. */
export function FilterDrawer({ search, onChange, onClose }: FilterDrawerProps) {
  const { t } = useTranslation('find');
  const { t: tCommon } = useTranslation();
  const viewport = useViewport();
  const isNarrow = viewport === 'phone' || viewport === 'tablet';
  const { view: _, ...threads } = search;
  return (
    <ModalOverlay className="drawer-scrim" isOpen isDismissable onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Modal className="drawer">
        <Dialog className="drawer-dialog" data-modal="true" aria-label={t('filters')}>
          <div className="drawer-head">
            <Heading slot="title">{t('filters')}</Heading>
            <span className="grow" />
            {/* The search box of a phone has no room for them. */}
            {viewport === 'phone' && <WatchSearch search={search} />}
            {viewport === 'phone' && <SaveSearch search={search} />}
            {isNarrow && <SortButton search={search} onChange={onChange} />}
            {isNarrow && (
              <button
                type="button"
                className="button small"
                aria-pressed={search.view === 'flat'}
                onClick={() => onChange(search.view === 'flat' ? threads : { ...threads, view: 'flat' })}
              >
                {t('flat')}
              </button>
            )}
            <IconButton icon={X} label={tCommon('close')} onClick={onClose} />
          </div>
          <div className="side">
            <FilterPanel search={search} onChange={onChange} />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
