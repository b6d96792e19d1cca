import { SlidersHorizontal } from 'lucide-react';
import { Button, MenuTrigger, Popover } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { SettingsItems } from './settings-items.tsx';

/** The button in the top bar with the choices of this browser. */
export function SettingsMenu() {
  const { t } = useTranslation();
  return (
    <MenuTrigger>
      <Button className="button ghost icon-only" aria-label={t('settings')}>
        <Icon of={SlidersHorizontal} />
      </Button>
      <Popover className="popover" offset={4}>
        <SettingsItems label={t('settings')} />
      </Popover>
    </MenuTrigger>
  );
}
