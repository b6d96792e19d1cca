import { SlidersHorizontal } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { loadOnUse } from '../components/load-on-use.tsx';

const SettingsPopover = loadOnUse<object>(async () => (await import('./settings-popover.tsx')).SettingsPopover);

/** The button in the top bar with the choices of this browser. */
export function SettingsMenu() {
  const { t } = useTranslation();
  const trigger = (
    <button type="button" className="button ghost icon-only" aria-label={t('settings')}>
      <Icon of={SlidersHorizontal} />
    </button>
  );
  return <SettingsPopover trigger={trigger} />;
}
